package scheduler

// nominationIsAsMeant: When nothing is under way, a pod that waits is nominated to the node that the scheduler named last.
func nominationIsAsMeant(before observed, action observedAction, after observed) string {
	calls := after.calls
	if !calls.quiet || calls.api.node != "" || calls.api.nominated == calls.meant {
		return ""
	}
	return "nothing is under way; the scheduler wanted " + observedNodeName(calls.meant) + " last, and the API server has " + observedNodeName(calls.api.nominated)
}
