package cpumanager

// How the CPU manager is made: from 1.22 to 1.34.

import (
	cadvisorapi "github.com/google/cadvisor/info/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

// playedOptions says whether the static policy has options.
const playedOptions = true

func newPlayedManager(machine playedMachine, info *cadvisorapi.MachineInfo, dir string, affinity topologymanager.Store) (Manager, error) {
	return NewManager(machine.policy, machine.options(), playedPeriod, info, cpuSet{}, machine.reservation(), dir, affinity)
}
