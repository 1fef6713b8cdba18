package cpumanager

import (
	"fmt"
	"strings"
)

// gonePodsAreForgotten: Of a pod that is through or deleted, and not the last admitted, containerMap keeps nothing for
// ever.
func gonePodsAreForgotten(before observed, action observedAction, after observed) string {
	for name := range after.containerMap {
		pod := strings.Split(name, "/")[0]
		if phase := after.phases[pod]; after.managed() && phase != "active" && pod != after.pending {
			return fmt.Sprintf("%s is %s, and containerMap keeps %s for ever", pod, phase, name)
		}
	}
	return ""
}
