package cpumanager

import "fmt"

// runsConfiguredPolicy: A running kubelet runs the CPU manager policy that it is configured with.
func runsConfiguredPolicy(before observed, action observedAction, after observed) string {
	if after.kubelet == "up" && after.policy != "" && after.policy != after.startedOn.policy {
		return fmt.Sprintf("the configured policy is %s, and the kubelet runs %s", after.startedOn.policy, after.policy)
	}
	return ""
}
