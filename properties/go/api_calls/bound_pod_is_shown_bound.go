package scheduler

// boundPodIsShownBound: When nothing is under way, the condition PodScheduled of a bound pod is True.
func boundPodIsShownBound(before observed, action observedAction, after observed) string {
	calls := after.calls
	if !calls.quiet || calls.api.node == "" || calls.api.condition == "True" {
		return ""
	}
	return "the pod is bound to " + calls.api.node + ", and PodScheduled is False: " + calls.api.condition
}
