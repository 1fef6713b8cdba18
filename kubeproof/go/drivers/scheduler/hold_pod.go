package scheduler

import (
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"k8s.io/kubernetes/pkg/scheduler/volumebinder"
)

// hold puts the gates around the functions of the scheduler (1.16).
func (k *playedScheduler) hold() {
	k.must(k.addPermit())
	k.sched.Algorithm = &playedAlgorithm{k.sched.Algorithm, k}
	k.sched.Framework = &playedFramework{Framework: k.sched.Framework, k: k}
	k.sched.PodPreemptor = &playedPreemptor{k.sched.PodPreemptor, k}
	playedAround(&k.sched.NextPod, nil, func(values []reflect.Value) {
		if pod, _ := values[0].Interface().(*v1.Pod); pod != nil {
			k.popped(pod)
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

func (a *playedAlgorithm) Schedule(pod *v1.Pod, context *framework.PluginContext) (core.ScheduleResult, error) {
	result, err := a.ScheduleAlgorithm.Schedule(pod, context)
	if err == nil {
		result.SuggestedHost = a.k.scheduled(result.SuggestedHost, result.FeasibleNodes)
	}
	return result, err
}

// playedSnapshot is a snapshot in the form of 1.17.
type playedSnapshot struct {
	NodeInfoList []*playedNodeInfo
	NodeInfoMap  map[string]*playedNodeInfo
}

// snapshot is that of the last scheduling cycle. It has no list: a search goes through the nodeTree.
func (k *playedScheduler) snapshot() interface{} {
	real := playedField(k.sched.Algorithm.(*playedAlgorithm).ScheduleAlgorithm, "nodeInfoSnapshot").(*schedulernodeinfo.Snapshot)
	snapshot := &playedSnapshot{NodeInfoMap: real.NodeInfoMap}
	for _, info := range real.NodeInfoMap {
		if info.Node() != nil {
			snapshot.NodeInfoList = append(snapshot.NodeInfoList, info)
		}
	}
	return snapshot
}
