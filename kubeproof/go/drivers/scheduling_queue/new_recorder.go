// A new queue from 1.28 on.

package queue

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/clock"
)

// kpClock has only the time: nothing that a driver calls asks for a timer.
type kpClock struct {
	clock.WithTicker
	now time.Time
}

func (c *kpClock) Now() time.Time { return c.now }

func (c *kpClock) Since(t time.Time) time.Duration { return c.now.Sub(t) }

func kpNewQueue(clock *kpClock, factory informers.SharedInformerFactory) *PriorityQueue {
	stopped := make(chan struct{})
	close(stopped)
	recorder := kpWithRecorder(metrics.NewMetricsAsyncRecorder(10, time.Second, stopped))
	return NewPriorityQueue((&queuesort.PrioritySort{}).Less, factory, WithClock(clock), recorder, kpHints())
}
