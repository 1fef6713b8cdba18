package cpumanager

import "fmt"

// exclusiveOnItsSet: A running container that was promised exclusive CPUs has an entry, and runs on exactly those CPUs.
func exclusiveOnItsSet(before observed, action observedAction, after observed) string {
	for _, c := range after.containers {
		if !after.managed() || c.state != "running" || c.wants == 0 {
			continue
		}
		if entry, ok := after.exclusive[c.name]; !ok || !entry.Equals(c.cpus) {
			return fmt.Sprintf("%s asked for %d exclusive CPUs, is to have CPUs %q and runs on CPUs %s", c.name, c.wants, entry, c.cpus)
		}
	}
	return ""
}
