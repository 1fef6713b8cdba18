package scheduler

import "fmt"

// reservationIsKept: What was reserved for an attempt is not given back while the attempt goes on.
func reservationIsKept(before observed, action observedAction, after observed) string {
	if after.crashed != "" {
		return ""
	}
	for _, each := range after.goroutines {
		pod, there := after.pods[each.pod.name]
		bound := there && pod.uid == each.pod.uid && pod.node == each.node
		if each.goesOn && each.reserved && !bound && after.reserved[each.pod.uid] != each.node {
			return fmt.Sprintf("%s is being bound to %s, and what was reserved for it there is given back", each.pod.uid, each.node)
		}
	}
	return ""
}
