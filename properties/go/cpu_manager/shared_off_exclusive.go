package cpumanager

import "fmt"

// sharedOffExclusive: After reconciling, no shared container may run on a CPU that belongs to another exclusively.
// It says nothing of a kubelet that does not know all its pods.
func sharedOffExclusive(before observed, action observedAction, after observed) string {
	if action.name != "reconcile_state" || !after.managed() || !before.sourcesReady {
		return ""
	}
	for pod, phase := range before.phases {
		if phase == "active" && before.seen[pod] != "yes" {
			return ""
		}
	}
	for _, c := range after.containers {
		both := c.cpus.Intersection(after.assigned())
		if c.state == "running" && c.wants == 0 && !both.IsEmpty() {
			return fmt.Sprintf("%s shares, and after reconciling it still may run on CPUs %s, which are exclusive", c.name, both)
		}
	}
	return ""
}
