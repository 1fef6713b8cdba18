package scheduler

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func (q *playedQueue) AddNominatedPod(logger klog.Logger, pod *framework.PodInfo, nominating *framework.NominatingInfo) {
	q.k.gate("add_nominated_pod")
	q.SchedulingQueue.AddNominatedPod(logger, pod, nominating)
}

// Done is the last call of the goroutine of a binding that succeeds (1.28 and later).
func (q *playedQueue) Done(uid types.UID) {
	q.SchedulingQueue.Done(uid)
	q.k.note(func(a *playedAttempt) { a.over = a.over || a.fits })
}

// playedBindingEnds: no event ends the goroutine of a binding, Done does.
const playedBindingEnds = ""
