// The fields of the queue from 1.28 to 1.31: the queue itself has the heaps.

package queue

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpUnschedulable(q *PriorityQueue) []*framework.QueuedPodInfo {
	infos := []*framework.QueuedPodInfo{}
	for _, info := range q.unschedulablePods.podInfoMap {
		infos = append(infos, info)
	}
	return infos
}

func kpFlushBackoff(q *PriorityQueue) { q.flushBackoffQCompleted(klog.Logger{}) }

func kpFlushUnschedulable(q *PriorityQueue) { q.flushUnschedulablePodsLeftover(klog.Logger{}) }
