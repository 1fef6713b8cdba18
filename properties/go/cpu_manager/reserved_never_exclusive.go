package cpumanager

import "fmt"

// reservedNeverExclusive: Reserved CPUs are never exclusive, and stay in the shared pool unless they are reserved strictly.
func reservedNeverExclusive(before observed, action observedAction, after observed) string {
	strict := after.startedOn.strictReservation
	if both := after.shared.Intersection(after.reserved); after.managed() && strict && !both.IsEmpty() {
		return fmt.Sprintf("CPUs %s are reserved strictly, and the shared pool has them", both)
	}
	if after.managed() && !strict && !after.reserved.Intersection(after.shared).Equals(after.reserved) {
		return fmt.Sprintf("CPUs %s are reserved, and the shared pool has CPUs %s", after.reserved, after.shared)
	}
	if taken := after.assigned().Intersection(after.reserved); after.managed() && !taken.IsEmpty() {
		return fmt.Sprintf("reserved CPUs %s were given to a container exclusively", taken)
	}
	return ""
}
