package scheduler

import "k8s.io/kubernetes/pkg/scheduler/framework"

func (q *playedQueue) AddNominatedPod(pod *framework.PodInfo, node string) {
	q.k.gate("add_nominated_pod")
	q.playedSchedulingQueue.AddNominatedPod(pod, node)
}
