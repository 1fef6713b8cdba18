package scheduler

// gonePodIsRejected: A handler that hears of the end of a pod that waits at Permit has the wait end.
func gonePodIsRejected(before observed, action observedAction, after observed) string {
	if action.name != "deliver_pod" || before.podWatch[0].kind != "delete" {
		return ""
	}
	pod := observedOf(before.podWatch[0].pod)
	was, waited := before.waiting[pod.uid]
	is, waits := after.waiting[pod.uid]
	if pod.node == "" && waited && was.sent == "" && waits && is.plugins > 0 && is.sent == "" {
		return pod.uid + " waits at Permit, the handler hears that it was deleted, and nobody rejects it"
	}
	return ""
}
