package cpumanager

import "fmt"

// exclusiveSetKept: A running container's exclusive CPUs stay its own, whatever happens around it.
func exclusiveSetKept(before observed, action observedAction, after observed) string {
	for _, was := range before.containers {
		for _, is := range after.containers {
			if was.name != is.name || was.starts != is.starts || was.state != "running" || is.state != "running" || was.wants == 0 {
				continue
			}
			had, ok := before.exclusive[was.name]
			if has, still := after.exclusive[was.name]; ok && (!still || !has.Equals(had)) {
				return fmt.Sprintf("%s runs with exclusive CPUs %s; after %s it has CPUs %q", was.name, had, action.name, has)
			}
		}
	}
	return ""
}
