package scheduler

import "strings"

// waitingVictimGoes: A victim that waits at Permit is deleted, or its wait ends with a rejection.
func waitingVictimGoes(before observed, action observedAction, after observed) string {
	preempts := after.goroutine(action.args["pod"], "requeue")
	if preempts == nil {
		return ""
	}
	for _, uid := range strings.Fields(action.args["victims"]) {
		pod, there := after.pods[podNameOf(uid)]
		here := after.cached[uid].pod.node == preempts.nominates
		if here && there && pod.uid == uid && !pod.terminating && after.waiting[uid].sent == "allowed" {
			return uid + " is a victim and goes on to its Binding: it was allowed before the rejection came"
		}
	}
	return ""
}
