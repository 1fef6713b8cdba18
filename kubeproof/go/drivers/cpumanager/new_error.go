package cpumanager

// How the CPU manager is told of a container: up to 1.20.

import v1 "k8s.io/api/core/v1"

func addPlayedContainer(m *manager, pod *v1.Pod, container *v1.Container, id string) error {
	return m.AddContainer(pod, container, id)
}
