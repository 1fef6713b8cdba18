package scheduler

// What has gates around it in 1.16 and 1.17.

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller/volume/scheduling"
	"k8s.io/kubernetes/pkg/scheduler/core"
)

// playedVolumes is the real binder of volumes. With volumes in the scope each pod has one that has still to be bound.
type playedVolumes struct {
	scheduling.SchedulerVolumeBinder
	k *playedScheduler
}

func (b *playedVolumes) AssumePodVolumes(pod *v1.Pod, node string) (bool, error) {
	bound, err := b.SchedulerVolumeBinder.AssumePodVolumes(pod, node)
	return bound && !b.k.scope.volumes, err
}

func (b *playedVolumes) BindPodVolumes(pod *v1.Pod) error {
	b.k.inBinding()
	if b.k.gate("bind_volumes")["fails"] != "" {
		return errors.New("the volume cannot be bound")
	}
	return nil
}

// playedAlgorithm is the real search with a gate after it.
type playedAlgorithm struct {
	core.ScheduleAlgorithm
	k *playedScheduler
}

func (k *playedScheduler) cache() interface{} { return k.sched.SchedulerCache }
