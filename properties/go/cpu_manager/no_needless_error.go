package cpumanager

import "fmt"

// noNeedlessError: No allocation fails for a container that has its CPUs, or for which there are enough.
func noNeedlessError(before observed, action observedAction, after observed) string {
	c := before.container(action.pod, action.container)
	if action.err == nil || c == nil || !before.managed() || action.name != "allocate" && action.name != "start_container" {
		return ""
	}
	machine, free := before.startedOn, before.shared.Difference(before.reserved)
	enough := c.wants <= free.Size()
	if machine.fullPCPUs {
		whole := 0
		for core := 0; core < machine.cores; core++ {
			taken := false
			for cpu := core * machine.threads; cpu < (core+1)*machine.threads; cpu++ {
				taken = taken || !free.Contains(cpu)
			}
			if !taken {
				whole += machine.threads
			}
		}
		enough = c.wants%machine.threads == 0 && c.wants <= whole
	}
	if _, has := before.exclusive[c.name]; has || c.wants == 0 || enough {
		return fmt.Sprintf("%s answers '%v', though %s has its CPUs or there are enough", action.name, action.err, c.name)
	}
	return ""
}
