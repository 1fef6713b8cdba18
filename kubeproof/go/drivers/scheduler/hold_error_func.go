package scheduler

import (
	"context"
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/volumebinder"
)

// hold puts the gates around the functions of the scheduler (1.17).
func (k *playedScheduler) hold() {
	k.must(k.addPermit())
	k.sched.Algorithm = &playedAlgorithm{k.sched.Algorithm, k}
	k.sched.Framework = &playedFramework{Framework: k.sched.Framework, k: k}
	k.sched.podPreemptor = &playedPreemptor{k.sched.podPreemptor, k}
	playedAround(&k.sched.NextPod, nil, func(values []reflect.Value) {
		if info, _ := values[0].Interface().(*playedQueuedPod); info != nil {
			k.popped(info.Pod)
		}
	})
	playedSet(k.sched.Algorithm.(*playedAlgorithm).ScheduleAlgorithm, "framework", k.sched.Framework)
	k.sched.VolumeBinder = &volumebinder.VolumeBinder{Binder: &playedVolumes{k.sched.VolumeBinder.Binder, k}}
	playedAround(&k.sched.Error, nil, func([]reflect.Value) {
		k.failed()
		// The error function has started a goroutine.
		k.note(func(*playedAttempt) { k.retries++ })
		k.gate("record_failure")
	})
}

func (a *playedAlgorithm) Schedule(ctx context.Context, state *framework.CycleState, pod *v1.Pod) (core.ScheduleResult, error) {
	result, err := a.ScheduleAlgorithm.Schedule(ctx, state, pod)
	if err == nil {
		result.SuggestedHost = a.k.scheduled(result.SuggestedHost, result.FeasibleNodes)
	}
	return result, err
}

// snapshot is that of the last scheduling cycle.
func (k *playedScheduler) snapshot() interface{} {
	return playedField(k.sched.Algorithm.(*playedAlgorithm).ScheduleAlgorithm, "nodeInfoSnapshot")
}
