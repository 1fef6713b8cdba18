package scheduler

import (
	"context"
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// hold puts the gates around the functions of the scheduler (1.22).
func (k *playedScheduler) hold() {
	k.sched.SchedulingQueue = &playedQueue{k.sched.SchedulingQueue, k}
	k.sched.Algorithm = &playedAlgorithm{k.sched.Algorithm, k}
	for name, profile := range k.sched.Profiles {
		k.sched.Profiles[name] = &playedFramework{profile, k}
	}
	playedAround(&k.sched.NextPod, nil, func(values []reflect.Value) {
		if info, _ := values[0].Interface().(*playedQueuedPod); info != nil {
			k.popped(info.Pod)
		}
	})
	playedAround(&k.sched.Error, func([]reflect.Value) { k.gate("requeue") }, func([]reflect.Value) { k.failed() })
}

// playedAlgorithm is the real search with a gate after it.
type playedAlgorithm struct {
	ScheduleAlgorithm
	k *playedScheduler
}

func (a *playedAlgorithm) Schedule(ctx context.Context, extenders []framework.Extender, fwk framework.Framework, state *framework.CycleState, pod *v1.Pod) (ScheduleResult, error) {
	result, err := a.ScheduleAlgorithm.Schedule(ctx, extenders, fwk, state, pod)
	if err != nil {
		a.k.unplaced(err)
		return result, err
	}
	result.SuggestedHost = a.k.scheduled(result.SuggestedHost, result.FeasibleNodes)
	return result, nil
}

func (f *playedFramework) RunPostFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, statuses framework.NodeToStatusMap) (*framework.PostFilterResult, *framework.Status) {
	result, status := f.playedRealFramework.RunPostFilterPlugins(ctx, state, pod, statuses)
	if status.IsSuccess() && result != nil {
		f.k.nominates(result.NominatedNodeName)
	}
	return result, status
}

func (k *playedScheduler) cache() interface{} { return k.sched.SchedulerCache }

// snapshot is that of the last scheduling cycle.
func (k *playedScheduler) snapshot() interface{} {
	return playedField(k.sched.Algorithm.(*playedAlgorithm).ScheduleAlgorithm, "nodeInfoSnapshot")
}
