package cpumanager

import "fmt"

// reservedNeverExclusive: Reserved CPUs stay in the shared pool and are never exclusive.
func reservedNeverExclusive(before observed, action observedAction, after observed) string {
	if after.managed() && !after.reserved.Intersection(after.shared).Equals(after.reserved) {
		return fmt.Sprintf("CPUs %s are reserved, and the shared pool has CPUs %s", after.reserved, after.shared)
	}
	if taken := after.assigned().Intersection(after.reserved); after.managed() && !taken.IsEmpty() {
		return fmt.Sprintf("reserved CPUs %s were given to a container exclusively", taken)
	}
	return ""
}
