package scheduler

import "fmt"

// withinCapacity: The pods bound and being bound to a node never ask for more than it has.
func withinCapacity(before observed, action observedAction, after observed) string {
	if after.used["bind_elsewhere"] > 0 {
		return ""
	}
	for node, machine := range after.nodes {
		room := machine.milli
		for _, pod := range after.pods {
			binding := after.goroutine(pod.name, "bind")
			if pod.node == node || pod.node == "" && binding != nil && binding.pod.uid == pod.uid && binding.node == node {
				room -= pod.milli
			}
		}
		if room < 0 {
			return fmt.Sprintf("pods are bound or about to be bound to %s, which has no room for all", node)
		}
	}
	return ""
}
