package cpumanager

// The container runtime as the CPU manager calls it: up to 1.22.

import (
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpuset"
)

type cpuSet = cpuset.CPUSet

var parseCPUSet = cpuset.Parse

type playedRuntime struct{ k *playedKubelet }

func (r playedRuntime) UpdateContainerResources(id string, resources *runtimeapi.LinuxContainerResources) error {
	return r.k.confine(id, resources.CpusetCpus)
}
