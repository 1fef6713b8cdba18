// What the queue has up to 1.32: one heap of pods that back off.

package queue

import (
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// kpErrorsApart says whether pods that failed by an error back off in a heap of their own.
const kpErrorsApart = false

func kpBackoffEnd(q *PriorityQueue, info *framework.QueuedPodInfo) time.Time {
	return q.getBackoffTime(info)
}

func kpBefore(a, b *framework.QueuedPodInfo) bool { return a.Pod.Name < b.Pod.Name }
