package scheduler

import "fmt"

// hintsRetainsWhatARunningCycleNeeds: The queue keeps no more events than came since the oldest running cycle began, of
// those that a plugin waits for and of those that say that a pod in flight was updated.
func hintsRetainsWhatARunningCycleNeeds(before observed, action observedAction, after observed) string {
	kept, needed, since := 0, 0, false
	running := after.running()
	for _, each := range after.hints.elements {
		if each.uid != "" {
			since = since || running[each.uid]
			continue
		}
		kept++
		if since && each.needed {
			needed++
		}
	}
	if kept > needed {
		return fmt.Sprintf("%d events are kept, and %d that somebody needs came since the oldest running cycle began", kept, needed)
	}
	return ""
}
