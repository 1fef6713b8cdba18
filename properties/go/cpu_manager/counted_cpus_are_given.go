package cpumanager

import "fmt"

// countedCpusAreGiven: A pod that fits what the scheduler counts is admitted, and its containers get their CPUs.
func countedCpusAreGiven(before observed, action observedAction, after observed) string {
	if action.name != "allocate" && action.name != "start_container" || !before.managed() {
		return ""
	}
	counted, machine := 0, before.startedOn
	for pod, phase := range before.phases {
		if phase == "active" {
			counted += before.requestedMilli(pod)
		}
	}
	was, is := before.container(action.pod, action.container), after.container(action.pod, action.container)
	if was == nil || was.wants == 0 || counted > 1000*(len(machine.online())-machine.reserved) {
		return ""
	}
	// With full-pcpus-only a container that asks for a part of a core is refused, as documented.
	if machine.fullPCPUs && was.wants%machine.threads != 0 {
		return ""
	}
	if after.phases[action.pod] == "failed" || action.name == "start_container" && is.state != "running" {
		return fmt.Sprintf("the scheduler counted enough CPUs for %s, and %s is refused: %v", action.pod, was.name, action.err)
	}
	return ""
}
