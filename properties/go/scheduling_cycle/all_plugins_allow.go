package scheduler

import "fmt"

// allPluginsAllow: A pod that waits at Permit goes on only when every plugin for which it waits has allowed it.
func allPluginsAllow(before observed, action observedAction, after observed) string {
	if action.name != "wait_on_permit" {
		return ""
	}
	waits := before.goroutine(action.args["pod"], "wait_on_permit")
	if waits == nil || before.waiting[waits.pod.uid].plugins == 0 {
		return ""
	}
	for _, each := range after.goroutinesOf(waits.pod.name) {
		if each.pod.uid == waits.pod.uid && each.goesOn {
			left := before.waiting[each.pod.uid].plugins
			return fmt.Sprintf("%s goes on to its Binding, though %d of its plugins have not said Allow", each.pod.uid, left)
		}
	}
	return ""
}
