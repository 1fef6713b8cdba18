package scheduler

// The points of the framework, with a framework of each profile (1.22 and later).

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// playedFramework is the real framework with gates around what happens at Permit.
type playedFramework struct {
	playedRealFramework
	k *playedScheduler
}

// WaitOnPermit stops before it receives. What is sent before is in a buffer, so that nothing is heard of it.
func (f *playedFramework) WaitOnPermit(ctx context.Context, pod *v1.Pod) *playedStatus {
	f.k.inBinding()
	if f.k.scope.permit > 0 {
		f.k.gate("listen")
	}
	if f.GetWaitingPod(pod.UID) != nil {
		f.k.gate("wait_on_permit")
	}
	status := f.playedRealFramework.WaitOnPermit(ctx, pod)
	f.k.permitted(status.IsSuccess())
	if !status.IsSuccess() && playedHas(f.k.cache(), "assumedPods", string(pod.UID)) {
		f.k.note(func(a *playedAttempt) { a.movesOthers = true })
	}
	return status
}

func (f *playedFramework) RunPreBindPlugins(ctx context.Context, state playedCycleState, pod *v1.Pod, node string) *playedStatus {
	if f.k.scope.hints {
		f.k.permitted(false)
		f.k.gate("pre_bind")
	}
	if f.k.scope.failures && f.k.gate("pre_bind")["fails"] != "" {
		return playedFailure()
	}
	return f.playedRealFramework.RunPreBindPlugins(ctx, state, pod, node)
}

func (f *playedFramework) RunReservePluginsUnreserve(ctx context.Context, state playedCycleState, pod *v1.Pod, node string) {
	if f.k.scope.calls {
		f.k.gate("recover_from_binding")
	}
	f.playedRealFramework.RunReservePluginsUnreserve(ctx, state, pod, node)
}

// playedPermit is a plugin at Permit that has a pod wait if the action says so.
type playedPermit struct {
	k    *playedScheduler
	name string
}

func (p *playedPermit) Name() string { return p.name }

func (p *playedPermit) Permit(context.Context, playedCycleState, *v1.Pod, string) (*playedStatus, time.Duration) {
	if p.k.waitsNow() {
		return playedWait(), time.Hour
	}
	return nil, 0
}

func (k *playedScheduler) waitingPod(uid types.UID) playedWaitingPod {
	return k.sched.Profiles[v1.DefaultSchedulerName].GetWaitingPod(uid)
}

// pendingOf says how many plugins have still to allow the pod.
func (k *playedScheduler) pendingOf(waiting playedWaitingPod) int {
	return len(waiting.GetPendingPlugins())
}

func (k *playedScheduler) allow(waiting playedWaitingPod) {
	if pending := waiting.GetPendingPlugins(); len(pending) > 0 {
		waiting.Allow(pending[0])
	}
}
