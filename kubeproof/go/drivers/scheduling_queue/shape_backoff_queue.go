// The fields of the queue from 1.33 on: the backoff queue is an object of its own too, and errors back off apart.

package queue

import (
	"time"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
)

// kpErrorsApart says whether pods that failed by an error back off in a heap of their own.
const kpErrorsApart = true

func kpActive(q *PriorityQueue) []*framework.QueuedPodInfo {
	active := q.activeQ.(*activeQueue)
	active.lock.RLock()
	defer active.lock.RUnlock()
	return active.queue.List()
}

func kpBackoff(q *PriorityQueue) (backoff, afterErrors []*framework.QueuedPodInfo) {
	both := q.backoffQ.(*backoffQueue)
	both.lock.RLock()
	defer both.lock.RUnlock()
	return both.podBackoffQ.List(), both.podErrorBackoffQ.List()
}

func kpUnschedulable(q *PriorityQueue) []*framework.QueuedPodInfo {
	infos := []*framework.QueuedPodInfo{}
	for _, info := range q.unschedulablePods.podInfoMap {
		infos = append(infos, info)
	}
	return infos
}

func kpBackoffEnd(q *PriorityQueue, info *framework.QueuedPodInfo) time.Time {
	// A copy, since the queue keeps the time in the record.
	another := *info
	return q.backoffQ.(*backoffQueue).getBackoffTime(&another)
}

func kpBefore(a, b *framework.QueuedPodInfo) bool { return (&queuesort.PrioritySort{}).Less(a, b) }

func kpFlushBackoff(q *PriorityQueue) { q.flushBackoffQCompleted(klog.Logger{}) }

func kpFlushUnschedulable(q *PriorityQueue) { q.flushUnschedulablePodsLeftover(klog.Logger{}) }
