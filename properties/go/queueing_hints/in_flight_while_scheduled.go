package scheduler

import "fmt"

// hintsInFlightWhileScheduled: A pod is in flight only as long as a scheduling cycle or a binding of the pod runs.
func hintsInFlightWhileScheduled(before observed, action observedAction, after observed) string {
	running := after.running()
	for _, uid := range after.hints.inFlight {
		if !running[uid] {
			return fmt.Sprintf("nobody schedules or binds %s, and nobody will call Done of the pod", uid)
		}
	}
	return ""
}
