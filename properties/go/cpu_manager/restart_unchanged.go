package cpumanager

import (
	"fmt"
	"reflect"
)

// restartUnchanged: On an unchanged machine the kubelet starts again, after a crash too, and restores what it had
// written.
func restartUnchanged(before observed, action observedAction, after observed) string {
	if action.name != "start_kubelet" || !reflect.DeepEqual(before.machine, before.startedOn) {
		return ""
	}
	if after.kubelet != "up" {
		return fmt.Sprintf("nothing changed, and the kubelet does not start: %v", after.failure)
	}
	same := before.shared.Equals(after.shared) && len(before.exclusive) == len(after.exclusive)
	for name, cpus := range before.exclusive {
		same = same && cpus.Equals(after.exclusive[name])
	}
	if before.policy != "" && !same && !before.shared.IsEmpty() {
		return "what the kubelet restored is not what it had written"
	}
	return ""
}
