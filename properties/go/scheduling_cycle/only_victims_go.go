package scheduler

import "fmt"

// onlyVictimsGo: Preemption deletes no pod but the victims that it has chosen, which are of lower priority.
func onlyVictimsGo(before observed, action observedAction, after observed) string {
	for uid, by := range after.victims {
		if _, gone := before.victims[uid]; gone {
			continue
		}
		victim, preemptor := before.pods[podNameOf(uid)], before.pods[podNameOf(by)]
		if !after.preempted[uid] {
			return fmt.Sprintf("%s is deleted, and it is no victim that was chosen", uid)
		}
		if victim.priority >= preemptor.priority {
			return fmt.Sprintf("%s is deleted, and its priority is not below that of %s", uid, by)
		}
	}
	return ""
}
