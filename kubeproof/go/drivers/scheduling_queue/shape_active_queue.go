// The fields of the queue in 1.32: the active queue is an object of its own.

package queue

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpActive(q *PriorityQueue) []*framework.QueuedPodInfo {
	active := q.activeQ.(*activeQueue)
	active.lock.RLock()
	defer active.lock.RUnlock()
	return active.queue.List()
}

func kpBackoff(q *PriorityQueue) (backoff, afterErrors []*framework.QueuedPodInfo) {
	return q.podBackoffQ.List(), nil
}

func kpUnschedulable(q *PriorityQueue) []*framework.QueuedPodInfo {
	infos := []*framework.QueuedPodInfo{}
	for _, info := range q.unschedulablePods.podInfoMap {
		infos = append(infos, info)
	}
	return infos
}

func kpFlushBackoff(q *PriorityQueue) { q.flushBackoffQCompleted(klog.Logger{}) }

func kpFlushUnschedulable(q *PriorityQueue) { q.flushUnschedulablePodsLeftover(klog.Logger{}) }
