package cpumanager

import "fmt"

// cpusPartitionMachine: The shared pool and the exclusive sets together are the machine's CPUs, and no CPU is in both.
func cpusPartitionMachine(before observed, action observedAction, after observed) string {
	if !after.managed() {
		return ""
	}
	machine, taken := setOf(after.startedOn.online()), after.assigned()
	if after.startedOn.strictReservation {
		machine = machine.Difference(after.reserved)
	}
	if both := after.shared.Intersection(taken); !both.IsEmpty() {
		return fmt.Sprintf("CPUs %s are in the shared pool and exclusive at once", both)
	}
	if all := after.shared.Union(taken); !all.Equals(machine) {
		return fmt.Sprintf("the shared pool and the exclusive sets are CPUs %s, and the machine has CPUs %s", all, machine)
	}
	return ""
}
