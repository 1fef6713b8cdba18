package cpumanager

// How the CPU manager is told of a container: 1.21 to 1.34.

import v1 "k8s.io/api/core/v1"

func addPlayedContainer(m *manager, pod *v1.Pod, container *v1.Container, id string) error {
	m.AddContainer(pod, container, id)
	return nil
}
