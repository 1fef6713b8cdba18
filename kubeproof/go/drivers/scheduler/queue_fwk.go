package scheduler

import (
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func (q *playedQueue) AddNominatedPod(logger klog.Logger, pod fwk.PodInfo, nominating *framework.NominatingInfo) {
	q.k.gate("add_nominated_pod")
	q.playedSchedulingQueue.AddNominatedPod(logger, pod, nominating)
}
