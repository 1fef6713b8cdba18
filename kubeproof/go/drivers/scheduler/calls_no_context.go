package scheduler

// What stands between the scheduler and the world (1.17): requests without a context, one framework, events.

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

func (c *playedPods) Bind(binding *v1.Binding) error {
	reply := c.k.gate("bind")["reply"]
	err := c.k.postBinding(binding, reply)
	if err != nil {
		c.k.gate("bind_failed")
	}
	return err
}

// Get is asked by preemption, which is part of the cycle, and by goroutines of the error function.
func (c *playedPods) Get(name string, _ metav1.GetOptions) (*v1.Pod, error) {
	c.k.mu.Lock()
	if moving := c.k.moving; moving == nil || playedGoroutine() != moving.cycle {
		c.k.mu.Unlock()
		return c.k.retry(name)
	}
	defer c.k.mu.Unlock()
	return c.k.get(name)
}

func (c *playedPods) UpdateStatus(pod *v1.Pod) (*v1.Pod, error) { return c.k.putStatus(pod) }

func (c *playedPods) Delete(name string, _ *metav1.DeleteOptions) error {
	return c.k.deleteVictim(name)
}

func (k *playedScheduler) queue() *playedPriorityQueue {
	return k.sched.SchedulingQueue.(*playedPriorityQueue)
}

// playedFramework is the real framework. RunPermitPlugins is the first call of the goroutine of the binding.
type playedFramework struct {
	framework.Framework
	k *playedScheduler
}

func (f *playedFramework) RunPermitPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *playedStatus {
	f.k.inBinding()
	return f.Framework.RunPermitPlugins(ctx, state, pod, node)
}

func (k *playedScheduler) waitingPod(uid types.UID) playedWaitingPod {
	return k.sched.Framework.GetWaitingPod(uid)
}

// playedEvents notes FailedScheduling events.
type playedEvents struct{ k *playedScheduler }

func (r *playedEvents) Eventf(regarding, _ apiruntime.Object, _, reason, _, _ string, _ ...interface{}) {
	if reason == "FailedScheduling" {
		r.k.mu.Lock()
		defer r.k.mu.Unlock()
		r.k.failures[string(regarding.(*v1.Pod).UID)]++
	}
}
