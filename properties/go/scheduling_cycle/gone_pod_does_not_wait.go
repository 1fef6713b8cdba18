package scheduler

// gonePodDoesNotWait: Once the handlers have heard that a pod is gone, the plugins at Permit do not have it wait.
func gonePodDoesNotWait(before observed, action observedAction, after observed) string {
	for uid, waiting := range after.waiting {
		pod, there := after.pods[podNameOf(uid)]
		gone := (!there || pod.uid != uid) && !after.underWay(podNameOf(uid))
		if gone && waiting.plugins > 0 && waiting.sent == "" {
			room := ""
			if after.cached[uid].assumed {
				room = "; its node keeps room for it"
			}
			return uid + " was deleted, and waits at Permit until a plugin speaks or its time is over" + room
		}
	}
	return ""
}
