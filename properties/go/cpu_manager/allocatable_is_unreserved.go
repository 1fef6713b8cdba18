package cpumanager

import "fmt"

// allocatableIsUnreserved: The CPUs reported as allocatable are all of the machine's but the reserved ones.
func allocatableIsUnreserved(before observed, action observedAction, after observed) string {
	unreserved := setOf(after.startedOn.online()).Difference(after.reserved)
	if after.managed() && after.reports && !after.allocatable.Equals(unreserved) {
		return fmt.Sprintf("the kubelet reports CPUs %s as allocatable, and CPUs %s are not reserved", after.allocatable, unreserved)
	}
	return ""
}
