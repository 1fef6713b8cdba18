package cpumanager

// How the CPU manager is started, is told that a container is gone, and reconciles: up to 1.34.

import (
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

func startPlayed(m *manager, pods ActivePodsFunc, sources config.SourcesReady, statuses status.PodStatusProvider, runtime runtimeService) error {
	return m.Start(pods, sources, statuses, runtime, m.containerMap)
}

func removePlayedContainer(m *manager, id string) error {
	return m.RemoveContainer(id)
}

func reconcilePlayed(m *manager) {
	m.reconcileState()
}
