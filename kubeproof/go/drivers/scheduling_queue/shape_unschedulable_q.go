// The fields of the queue in 1.22: pods that wait are in unschedulableQ.

package queue

import (
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// kpErrorsApart says whether pods that failed by an error back off in a heap of their own.
const kpErrorsApart = false

func kpActive(q *PriorityQueue) []*framework.QueuedPodInfo { return kpInfos(q.activeQ.List()) }

func kpBackoff(q *PriorityQueue) (backoff, afterErrors []*framework.QueuedPodInfo) {
	return kpInfos(q.podBackoffQ.List()), nil
}

func kpInfos(items []interface{}) []*framework.QueuedPodInfo {
	infos := []*framework.QueuedPodInfo{}
	for _, item := range items {
		infos = append(infos, item.(*framework.QueuedPodInfo))
	}
	return infos
}

func kpUnschedulable(q *PriorityQueue) []*framework.QueuedPodInfo {
	infos := []*framework.QueuedPodInfo{}
	for _, info := range q.unschedulableQ.podInfoMap {
		infos = append(infos, info)
	}
	return infos
}

func kpBackoffEnd(q *PriorityQueue, info *framework.QueuedPodInfo) time.Time {
	return q.getBackoffTime(info)
}

func kpBefore(a, b *framework.QueuedPodInfo) bool { return a.Pod.Name < b.Pod.Name }

func kpFlushBackoff(q *PriorityQueue) { q.flushBackoffQCompleted() }

func kpFlushUnschedulable(q *PriorityQueue) { q.flushUnschedulableQLeftover() }
