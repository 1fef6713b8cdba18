// The heaps of the queue up to 1.31: their items have no type.

package queue

import "k8s.io/kubernetes/pkg/scheduler/framework"

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
