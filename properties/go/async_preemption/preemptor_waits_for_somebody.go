package scheduler

// preemptorWaitsForSomebody: While the preemptor waits, and nothing is under way, each victim goes, unless a request
// failed.
func preemptorWaitsForSomebody(before observed, action observedAction, after observed) string {
	state := after.preemption
	if !state.waits || len(state.goroutines) > 0 || len(state.onTheWay) > 0 || state.failures > 0 {
		return ""
	}
	for _, victim := range state.victims {
		if victim.stays {
			return "the preemptor waits, nothing is under way, and nobody deletes " + victim.name
		}
	}
	return ""
}
