package scheduler

// What stands between the scheduler and the world (1.16, 1.17): requests without a context, one framework, events.

import (
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
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

type playedNodes struct {
	typedcorev1.NodeInterface
	k *playedScheduler
}

func (c *playedCore) Nodes() typedcorev1.NodeInterface { return &playedNodes{k: c.k} }

// Get is asked by the error function, after a Binding that failed since the node was not found.
func (c *playedNodes) Get(name string, _ metav1.GetOptions) (*v1.Node, error) {
	c.k.gate("get_node")
	c.k.mu.Lock()
	node := c.k.nodes[name]
	c.k.mu.Unlock()
	if node == nil {
		c.k.gate("remove_missing_node")
		return nil, apierrors.NewNotFound(v1.Resource("node"), name)
	}
	return node.DeepCopy(), nil
}

func (k *playedScheduler) waitingPod(uid types.UID) playedWaitingPod {
	return k.sched.Framework.GetWaitingPod(uid)
}

// playedEvents notes FailedScheduling events.
type playedEvents struct{ k *playedScheduler }

func (r *playedEvents) Eventf(regarding, _ apiruntime.Object, _, reason, _, _ string, _ ...interface{}) {
	r.k.happened(reason, regarding)
}
