package scheduler

// What the scheduler says to the queue of pods in flight (1.28 and later).

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// switchHints has the gate SchedulerQueueingHints on for a run with hints or of async-preemption, and otherwise off, until
// the test is over. 1.28.0 to 1.28.4 have the gate on. From 1.34 on the gate is locked: every run has the gate on.
func (k *playedScheduler) switchHints() error {
	gates, on := utilfeature.DefaultMutableFeatureGate, k.scope.hints || k.scope.victims > 0
	if !on && gates.GetAll()["SchedulerQueueingHints"].LockToDefault {
		return nil
	}
	was := gates.Enabled("SchedulerQueueingHints")
	k.playedRun.t.Cleanup(func() { _ = gates.Set(fmt.Sprintf("SchedulerQueueingHints=%v", was)) })
	return gates.Set(fmt.Sprintf("SchedulerQueueingHints=%v", on))
}

// hintsPlugins are the plugins of a run of queueing-hints, and no others: what waits for an event is known.
func (k *playedScheduler) hintsPlugins() *schedulerapi.Plugins {
	plugins := &schedulerapi.Plugins{}
	plugins.QueueSort.Enabled = []schedulerapi.Plugin{{Name: "PrioritySort"}}
	plugins.Bind.Enabled = []schedulerapi.Plugin{{Name: "DefaultBinder"}}
	for _, plugin := range k.waitsFor() {
		plugins.Filter.Enabled = append(plugins.Filter.Enabled, schedulerapi.Plugin{Name: playedPlugin + plugin})
	}
	gates, claims := schedulerapi.Plugin{Name: playedGates}, schedulerapi.Plugin{Name: playedPlugin + playedClaims}
	held := &plugins.PreEnqueue
	if k.scope.claims && k.scope.claimsFirst {
		held.Enabled = append(held.Enabled, claims)
	}
	if k.scope.gates {
		held.Enabled = append(held.Enabled, gates)
	}
	if k.scope.claims && !k.scope.claimsFirst {
		held.Enabled = append(held.Enabled, claims)
	}
	return plugins
}

func (q *playedQueue) Done(uid types.UID) {
	q.k.beforeDone()
	q.playedSchedulingQueue.Done(uid)
	q.k.isDone(uid)
}

func (q *playedQueue) AddUnschedulableIfNotPresent(logger klog.Logger, info *playedQueuedPod, cycle int64) error {
	err := q.playedSchedulingQueue.AddUnschedulableIfNotPresent(logger, info, cycle)
	q.k.note(func(a *playedAttempt) { a.done = true })
	return err
}
