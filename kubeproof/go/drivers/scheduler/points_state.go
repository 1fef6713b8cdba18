package scheduler

// The points of the framework, with a CycleState and one framework (1.17).

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// playedFramework is the real framework with the plugins of the run.
type playedFramework struct {
	framework.Framework
	k *playedScheduler
	// A plugin at Filter fails.
	fails bool
}

func (f *playedFramework) RunPreFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod) *playedStatus {
	status := f.Framework.RunPreFilterPlugins(ctx, state, pod)
	if f.k.scope.failures {
		f.fails = f.k.gate("find_nodes")["fails"] != ""
	}
	return status
}

func (f *playedFramework) RunFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node *playedNodeInfo) *playedStatus {
	if f.fails {
		return framework.NewStatus(framework.Error, "a plugin fails")
	}
	return f.Framework.RunFilterPlugins(ctx, state, pod, node)
}

func (f *playedFramework) RunReservePlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *playedStatus {
	status := f.Framework.RunReservePlugins(ctx, state, pod, node)
	f.k.reserve(pod.UID, node)
	return status
}

func (f *playedFramework) RunUnreservePlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) {
	f.Framework.RunUnreservePlugins(ctx, state, pod, node)
	f.k.unreserve(pod.UID, node)
}

// RunPermitPlugins is the first call of the goroutine of the binding.
func (f *playedFramework) RunPermitPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *playedStatus {
	return f.k.atPermit(func() *playedStatus { return f.Framework.RunPermitPlugins(ctx, state, pod, node) })
}

func (p *playedPermit) Permit(context.Context, *framework.CycleState, *v1.Pod, string) (*playedStatus, time.Duration) {
	if p.k.waitsNow() {
		return framework.NewStatus(framework.Wait, ""), time.Hour
	}
	return nil, 0
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
