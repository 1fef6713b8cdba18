package scheduler

import (
	"context"

	"k8s.io/client-go/informers"
)

// startPlayed makes the scheduler; its queue runs already (1.17).
func startPlayed(ctx context.Context, k *playedScheduler, client *playedAPI, factory informers.SharedInformerFactory) (*Scheduler, error) {
	sched, err := New(client, factory, factory.Core().V1().Pods(), &playedEvents{k}, ctx.Done(), k.options()...)
	if err == nil {
		err = k.addExtender(sched)
	}
	return sched, err
}
