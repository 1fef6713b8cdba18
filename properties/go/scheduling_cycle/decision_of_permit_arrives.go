package scheduler

// decisionOfPermitArrives: When the plugins have allowed a waiting pod, or one has rejected it, the goroutine that waits is
// told.
func decisionOfPermitArrives(before observed, action observedAction, after observed) string {
	for uid, waiting := range after.waiting {
		waits := after.goroutine(podNameOf(uid), "wait_on_permit")
		if waits != nil && waits.pod.uid == uid && waiting.plugins == 0 && waiting.sent == "" {
			return uid + " is allowed, and its goroutine waits: what was sent came before the goroutine listened"
		}
	}
	return ""
}
