package scheduler

import "fmt"

// preemptedRoomIsKept: No pod of lower priority is assumed into the room that preemption made for another.
func preemptedRoomIsKept(before observed, action observedAction, after observed) string {
	taker, node := before.goroutine(action.args["pod"], "assume"), action.args["node"]
	if action.name != "assume" || taker == nil {
		return ""
	}
	room := before.free(node)
	for _, each := range before.goroutines {
		if pod, there := before.pods[each.pod.name]; there && each.binding && each.node == node && pod.node == "" {
			room -= each.pod.milli
		}
	}
	for _, pod := range before.pods {
		waits := pod.node == "" && pod.nominated == node && pod.uid != taker.pod.uid && len(before.goroutinesOf(pod.name)) == 0
		if waits && pod.priority > taker.pod.priority && room < pod.milli+taker.pod.milli {
			return fmt.Sprintf("%s takes the room on %s that was made for %s, of higher priority", taker.pod.name, node, pod.name)
		}
	}
	return ""
}
