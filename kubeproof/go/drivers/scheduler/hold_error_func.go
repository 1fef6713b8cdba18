package scheduler

import (
	"context"
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	nodeinfosnapshot "k8s.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"
)

// hold puts the gates around the functions of the scheduler (1.17).
func (k *playedScheduler) hold() {
	k.sched.Algorithm = &playedAlgorithm{k.sched.Algorithm, k}
	k.sched.Framework = &playedFramework{k.sched.Framework, k}
	k.sched.podPreemptor = &playedPreemptor{k.sched.podPreemptor, k}
	playedAround(&k.sched.NextPod, nil, func(values []reflect.Value) {
		if info, _ := values[0].Interface().(*playedQueuedPod); info != nil {
			k.popped(info.Pod)
		}
	})
	playedAround(&k.sched.Error, func([]reflect.Value) {
		// The error function starts a goroutine.
		k.note(func(*playedAttempt) { k.retries++ })
	}, func([]reflect.Value) {
		k.failed()
		k.gate("record_failure")
	})
}

// playedAlgorithm is the real search with a gate after it.
type playedAlgorithm struct {
	core.ScheduleAlgorithm
	k *playedScheduler
}

func (a *playedAlgorithm) Schedule(ctx context.Context, state *framework.CycleState, pod *v1.Pod) (core.ScheduleResult, error) {
	result, err := a.ScheduleAlgorithm.Schedule(ctx, state, pod)
	if err == nil {
		result.SuggestedHost = a.k.scheduled(result.SuggestedHost, result.FeasibleNodes)
	}
	return result, err
}

func (k *playedScheduler) cache() interface{} { return k.sched.SchedulerCache }

// snapshot has the nodes of the last scheduling cycle.
func (k *playedScheduler) snapshot() []*playedNodeInfo {
	algorithm := k.sched.Algorithm.(*playedAlgorithm).ScheduleAlgorithm
	return playedField(algorithm, "nodeInfoSnapshot").(*nodeinfosnapshot.Snapshot).NodeInfoList
}
