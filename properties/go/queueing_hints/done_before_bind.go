package scheduler

import "fmt"

// hintsDoneBeforeBind: While a Binding is on its way, no event is kept for the pod: no rejection can follow.
func hintsDoneBeforeBind(before observed, action observedAction, after observed) string {
	for _, each := range after.goroutines {
		for _, uid := range after.hints.inFlight {
			if each.binding && each.next == "bind" && each.pod.uid == uid {
				return fmt.Sprintf("%s is being bound, and each event that comes meanwhile is kept for it", uid)
			}
		}
	}
	return ""
}
