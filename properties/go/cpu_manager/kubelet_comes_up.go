package cpumanager

import "fmt"

// kubeletComesUp: A kubelet that is down comes up without an operator, also after CPUs, reserve or policy have changed.
func kubeletComesUp(before observed, action observedAction, after observed) string {
	if policy := after.machine.policy; after.kubelet != "up" && (policy == "static" || policy == "none") {
		return fmt.Sprintf("the kubelet does not start, however often it tries: %v", after.failure)
	}
	return ""
}
