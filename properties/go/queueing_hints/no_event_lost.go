package scheduler

import "fmt"

// hintsNoEventLost: When nothing is under way, no plugin that rejected a pod in unschedulablePods would accept the pod now.
func hintsNoEventLost(before observed, action observedAction, after observed) string {
	if uid := after.stuck(true); uid != "" {
		return fmt.Sprintf("nothing is under way, and %s waits in unschedulablePods, though every plugin would accept the pod", uid)
	}
	return ""
}
