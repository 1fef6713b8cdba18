package scheduler

import (
	"context"

	"k8s.io/client-go/informers"
)

// startPlayed makes the scheduler, and starts its queue (1.22).
func startPlayed(ctx context.Context, k *playedScheduler, client *playedAPI, factory informers.SharedInformerFactory) (*Scheduler, error) {
	options, err := k.options()
	if err != nil {
		return nil, err
	}
	sched, err := New(client, factory, k.recorder, ctx.Done(), options...)
	if err == nil {
		sched.SchedulingQueue.Run()
	}
	return sched, err
}
