package scheduler

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func (q *playedQueue) AddNominatedPod(logger klog.Logger, pod *framework.PodInfo, nominating *framework.NominatingInfo) {
	q.k.gate("add_nominated_pod")
	q.playedSchedulingQueue.AddNominatedPod(logger, pod, nominating)
}
