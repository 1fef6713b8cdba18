package scheduler

import "fmt"

// hintsFailedByErrorIsTriedAgain: When nothing is under way, no pod that no plugin rejected waits in unschedulablePods.
func hintsFailedByErrorIsTriedAgain(before observed, action observedAction, after observed) string {
	if uid := after.stuck(false); uid != "" {
		return fmt.Sprintf("nothing is under way, and %s waits in unschedulablePods, though no plugin rejected the pod", uid)
	}
	return ""
}
