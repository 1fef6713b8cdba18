package cpumanager

import (
	"fmt"
	"strings"
)

// gonePodsReturnCpus: The CPUs of a pod that is through or deleted return to the shared pool, by reconciling alone.
func gonePodsReturnCpus(before observed, action observedAction, after observed) string {
	for name, cpus := range after.exclusive {
		pod := strings.Split(name, "/")[0]
		if phase := after.phases[pod]; after.managed() && phase != "active" && !cpus.IsEmpty() {
			return fmt.Sprintf("%s is %s, and CPUs %s stay its own", pod, phase, cpus)
		}
	}
	return ""
}
