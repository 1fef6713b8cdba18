// A new queue of 1.22.

package queue

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
)

type kpClock struct{ now time.Time }

func (c *kpClock) Now() time.Time { return c.now }

func kpNewQueue(clock *kpClock, factory informers.SharedInformerFactory) *PriorityQueue {
	return NewPriorityQueue((&queuesort.PrioritySort{}).Less, factory, WithClock(clock), kpHints())
}
