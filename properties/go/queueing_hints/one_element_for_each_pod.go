package scheduler

import "fmt"

// hintsOneElementForEachPod: Each pod in inFlightPods has exactly one element in inFlightEvents, and no other pod has one.
func hintsOneElementForEachPod(before observed, action observedAction, after observed) string {
	listed, known := map[string]int{}, map[string]int{}
	for _, each := range after.hints.elements {
		if each.uid != "" {
			listed[each.uid]++
		}
	}
	// 1.28.0 keeps no pods in the list.
	if len(listed) == 0 {
		return ""
	}
	for _, uid := range after.hints.inFlight {
		known[uid]++
	}
	for _, uid := range append(sortedKeys(listed), sortedKeys(known)...) {
		if listed[uid] != known[uid] {
			return fmt.Sprintf("%s is %d times in inFlightEvents and %d times in inFlightPods", uid, listed[uid], known[uid])
		}
	}
	return ""
}
