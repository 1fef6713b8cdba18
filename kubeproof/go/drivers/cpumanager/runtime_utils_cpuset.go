package cpumanager

// The container runtime as the CPU manager calls it: from 1.28 on.

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/utils/cpuset"
)

type cpuSet = cpuset.CPUSet

var parseCPUSet = cpuset.Parse

type playedRuntime struct{ k *playedKubelet }

func (r playedRuntime) UpdateContainerResources(_ context.Context, id string, resources *runtimeapi.ContainerResources) error {
	return r.k.confine(id, resources.Linux.CpusetCpus)
}
