package scheduler

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
)

// startPlayed makes the scheduler, and starts its queue (1.28 and later).
func startPlayed(ctx context.Context, k *playedScheduler, client *playedAPI, factory informers.SharedInformerFactory) (*Scheduler, error) {
	options, err := k.options()
	if err != nil {
		return nil, err
	}
	sched, err := New(ctx, client, factory, nil, k.recorder, options...)
	if err == nil {
		sched.SchedulingQueue.Run(klog.Background())
	}
	return sched, err
}
