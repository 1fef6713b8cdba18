package cpumanager

import "fmt"

// runningExclusiveApart: No two running containers run on a CPU that both have exclusively.
func runningExclusiveApart(before observed, action observedAction, after observed) string {
	for i, a := range after.containers {
		for _, b := range after.containers[i+1:] {
			both := a.cpus.Intersection(b.cpus)
			if after.runsExclusive(a) && after.runsExclusive(b) && !both.IsEmpty() {
				return fmt.Sprintf("%s and %s run at the same time, both on CPUs %s, which each has exclusively", a.name, b.name, both)
			}
		}
	}
	return ""
}
