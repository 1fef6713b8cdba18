package scheduler

// nominatedInMemoryAsInApi: When nothing is under way, a pod that waits is nominated in memory as it is at the API server.
func nominatedInMemoryAsInApi(before observed, action observedAction, after observed) string {
	calls := after.calls
	if !calls.quiet || calls.api.node != "" || calls.memory == calls.api.nominated {
		return ""
	}
	return "nothing is under way; the scheduler has the pod nominated to " + observedNodeName(calls.memory) + ", and the API server to " + observedNodeName(calls.api.nominated)
}
