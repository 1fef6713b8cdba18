package scheduler

import (
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

func (q *playedQueue) AddNominatedPod(logger klog.Logger, pod fwk.PodInfo, nominating *playedNominating) {
	q.k.gate("add_nominated_pod")
	q.playedSchedulingQueue.AddNominatedPod(logger, pod, nominating)
}
