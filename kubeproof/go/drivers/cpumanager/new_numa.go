package cpumanager

// How the CPU manager is made: 1.18 and 1.19.

import (
	cadvisorapi "github.com/google/cadvisor/info/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

// playedOptions says whether the static policy has options.
const playedOptions = false

func newPlayedManager(machine playedMachine, info *cadvisorapi.MachineInfo, dir string, affinity topologymanager.Store) (Manager, error) {
	return NewManager(machine.policy, playedPeriod, info, topology.NUMANodeInfo{0: setOf(machine.online())}, cpuSet{}, machine.reservation(), dir, affinity)
}
