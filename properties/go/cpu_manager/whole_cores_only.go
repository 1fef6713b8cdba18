package cpumanager

import "fmt"

// wholeCoresOnly: With full-pcpus-only no container has a part of a core.
func wholeCoresOnly(before observed, action observedAction, after observed) string {
	if !after.managed() || !after.startedOn.fullPCPUs {
		return ""
	}
	online := after.startedOn.online()
	for name, cpus := range after.exclusive {
		for _, one := range online {
			for _, other := range online {
				same := one/after.startedOn.threads == other/after.startedOn.threads
				if same && cpus.Contains(one) && !cpus.Contains(other) {
					return fmt.Sprintf("%s has a part of core %d, although full-pcpus-only is on", name, one/after.startedOn.threads)
				}
			}
		}
	}
	return ""
}
