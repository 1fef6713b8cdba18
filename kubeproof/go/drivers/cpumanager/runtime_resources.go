package cpumanager

// The container runtime as the CPU manager calls it: 1.25.

import (
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpuset"
)

type cpuSet = cpuset.CPUSet

var parseCPUSet = cpuset.Parse

type playedRuntime struct{ k *playedKubelet }

func (r playedRuntime) UpdateContainerResources(id string, resources *runtimeapi.ContainerResources) error {
	return r.k.confine(id, resources.Linux.CpusetCpus)
}
