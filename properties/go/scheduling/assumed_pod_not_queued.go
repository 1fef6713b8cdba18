package scheduler

// assumedPodNotQueued: No event puts a pod into a queue that is assumed, and so being bound.
func assumedPodNotQueued(before observed, action observedAction, after observed) string {
	queued := func(s observed, uid string) bool {
		for _, pods := range [][]observedPod{s.active, s.backoff, s.unschedule} {
			for _, pod := range pods {
				if pod.uid == uid {
					return true
				}
			}
		}
		return false
	}
	for uid, each := range before.cached {
		if each.assumed && after.cached[uid].assumed && !queued(before, uid) && queued(after, uid) {
			return uid + " is assumed, and is put into a queue"
		}
	}
	return ""
}
