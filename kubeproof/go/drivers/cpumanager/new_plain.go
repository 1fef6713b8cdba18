package cpumanager

// How the CPU manager is made: 1.20 and 1.21.

import (
	cadvisorapi "github.com/google/cadvisor/info/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

// playedOptions says whether the static policy has options.
const playedOptions = false

func newPlayedManager(machine playedMachine, info *cadvisorapi.MachineInfo, dir string, affinity topologymanager.Store) (Manager, error) {
	return NewManager(machine.policy, playedPeriod, info, cpuSet{}, machine.reservation(), dir, affinity)
}
