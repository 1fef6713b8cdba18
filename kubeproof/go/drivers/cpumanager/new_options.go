package cpumanager

// How the CPU manager is made, started and told of containers: from 1.22 to 1.34.

import (
	cadvisorapi "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

// playedOptions says whether the static policy has options.
const playedOptions = true

func newPlayedManager(machine playedMachine, info *cadvisorapi.MachineInfo, dir string, affinity topologymanager.Store) (Manager, error) {
	return NewManager(machine.policy, machine.options(), playedPeriod, info, cpuSet{}, machine.reservation(), dir, affinity)
}

func startPlayed(m *manager, pods ActivePodsFunc, sources config.SourcesReady, statuses status.PodStatusProvider, runtime runtimeService) error {
	return m.Start(pods, sources, statuses, runtime, m.containerMap)
}

func addPlayedContainer(m *manager, pod *v1.Pod, container *v1.Container, id string) error {
	m.AddContainer(pod, container, id)
	return nil
}

func removePlayedContainer(m *manager, id string) error {
	return m.RemoveContainer(id)
}

func reconcilePlayed(m *manager) {
	m.reconcileState()
}
