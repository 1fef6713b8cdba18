package scheduler

import "fmt"

// nominationCanComeTrue: When nothing is under way, no pending pod is nominated to a node where it can no longer be
// placed.
func nominationCanComeTrue(before observed, action observedAction, after observed) string {
	if !after.atRest() {
		return ""
	}
	for _, each := range after.nominated {
		if each.node == "" || each.pod == nil || each.pod.node != "" {
			continue
		}
		if _, there := after.nodes[each.node]; !there {
			return fmt.Sprintf("%s stays nominated to %s, which does not exist", each.uid, each.node)
		}
		room := after.free(each.node)
		for _, pod := range after.pods {
			if pod.node == each.node && pod.priority < each.pod.priority {
				room += pod.milli
			}
		}
		if each.pod.milli > room {
			return fmt.Sprintf("%s stays nominated to %s, which has neither room nor pods of lower priority", each.uid, each.node)
		}
	}
	return ""
}
