package scheduler

// The points of the framework with a PluginContext (1.16).

import (
	"time"

	v1 "k8s.io/api/core/v1"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// playedFramework is the real framework with the plugins of the run.
type playedFramework struct {
	framework.Framework
	k *playedScheduler
	// The search has not begun to ask for nodes; a plugin at Filter fails.
	begins, fails bool
}

func (f *playedFramework) RunPreFilterPlugins(pc *framework.PluginContext, pod *v1.Pod) *playedStatus {
	f.begins, f.fails = true, false
	return f.Framework.RunPreFilterPlugins(pc, pod)
}

// findsNodes is called when the search has its snapshot, and by preemption.
func (k *playedScheduler) findsNodes() {
	f := k.sched.Framework.(*playedFramework)
	if f.begins && k.scope.failures {
		f.fails = k.gate("find_nodes")["fails"] != ""
	}
	f.begins = false
}

func (f *playedFramework) RunFilterPlugins(pc *framework.PluginContext, pod *v1.Pod, node string) *playedStatus {
	if f.fails {
		return framework.NewStatus(framework.Error, "a plugin fails")
	}
	return f.Framework.RunFilterPlugins(pc, pod, node)
}

func (f *playedFramework) RunReservePlugins(pc *framework.PluginContext, pod *v1.Pod, node string) *playedStatus {
	status := f.Framework.RunReservePlugins(pc, pod, node)
	f.k.reserve(pod.UID, node)
	return status
}

func (f *playedFramework) RunUnreservePlugins(pc *framework.PluginContext, pod *v1.Pod, node string) {
	f.Framework.RunUnreservePlugins(pc, pod, node)
	f.k.unreserve(pod.UID, node)
}

// RunPermitPlugins is called by the goroutine of the binding.
func (f *playedFramework) RunPermitPlugins(pc *framework.PluginContext, pod *v1.Pod, node string) *playedStatus {
	return f.k.atPermit(func() *playedStatus { return f.Framework.RunPermitPlugins(pc, pod, node) })
}

func (p *playedPermit) Permit(_ *framework.PluginContext, pod *v1.Pod, _ string) (*playedStatus, time.Duration) {
	if !p.k.waitsNow() {
		return nil, 0
	}
	p.k.pending[pod.UID]++
	return framework.NewStatus(framework.Wait, ""), time.Hour
}

// pendingOf says how many plugins have still to allow the pod. Only they know.
func (k *playedScheduler) pendingOf(waiting playedWaitingPod) int {
	return k.pending[waiting.GetPod().UID]
}

func (k *playedScheduler) allow(waiting playedWaitingPod) {
	k.pending[waiting.GetPod().UID]--
	waiting.Allow()
}
