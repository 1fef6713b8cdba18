package cpumanager

import (
	"fmt"
	"strings"
)

// holdsWhatWasCounted: No pod holds more exclusive CPUs than the scheduler counted for it.
func holdsWhatWasCounted(before observed, action observedAction, after observed) string {
	for pod := range after.phases {
		held := cpuSet{}
		for name, cpus := range after.exclusive {
			if strings.HasPrefix(name, pod+"/") {
				held = held.Union(cpus)
			}
		}
		counted := (after.requestedMilli(pod) + 999) / 1000
		if after.managed() && after.hasContainers(pod) && held.Size() > counted {
			return fmt.Sprintf("%s holds %d exclusive CPUs, and the scheduler counted %d", pod, held.Size(), counted)
		}
	}
	return ""
}
