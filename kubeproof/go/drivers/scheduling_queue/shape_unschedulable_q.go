// The fields of the queue in 1.22: pods that wait are in unschedulableQ.

package queue

import (
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpUnschedulable(q *PriorityQueue) []*framework.QueuedPodInfo {
	infos := []*framework.QueuedPodInfo{}
	for _, info := range q.unschedulableQ.podInfoMap {
		infos = append(infos, info)
	}
	return infos
}

func kpFlushBackoff(q *PriorityQueue) { q.flushBackoffQCompleted() }

func kpFlushUnschedulable(q *PriorityQueue) { q.flushUnschedulableQLeftover() }
