package scheduler

import "fmt"

// waitsForItsVictims: A pod does not preempt again while a victim of its preemption terminates, if the scheduler knows
// that the victim does and keeps the nomination.
func waitsForItsVictims(before observed, action observedAction, after observed) string {
	for uid, preemptor := range after.victims {
		if _, earlier := before.victims[uid]; earlier {
			continue
		}
		for _, each := range before.nominated {
			if each.uid != preemptor {
				continue
			}
			for _, known := range before.snapshot[each.node].pods {
				if known.terminating && before.victims[known.uid] == preemptor {
					return fmt.Sprintf("%s is deleted, and %s still terminates for the same pod", uid, known.uid)
				}
			}
		}
	}
	return ""
}
