package scheduler

import "fmt"

// noEventLost: When nothing is under way, no pod in unschedulableQ fits on a node as it is now.
func noEventLost(before observed, action observedAction, after observed) string {
	if !after.atRest() {
		return ""
	}
	for _, queued := range after.unschedule {
		pod, there := after.pods[queued.name]
		if !there || pod.node != "" || pod.terminating {
			continue
		}
		for node, machine := range after.nodes {
			room := after.free(node)
			for _, each := range after.nominated {
				other := each.pod
				if each.node == node && each.uid != pod.uid && other != nil && other.node == "" && other.priority >= pod.priority {
					room -= other.milli
				}
			}
			keptAway := machine.cordoned || machine.keepsAway && pod.labels["app"] == "1"
			if !keptAway && pod.milli <= room {
				return fmt.Sprintf("nothing is under way, and %s waits in unschedulableQ, though it fits on %s", pod.name, node)
			}
		}
	}
	return ""
}
