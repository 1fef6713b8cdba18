package scheduler

import (
	"context"
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
)

// startPlayed makes the scheduler, and starts its queue (1.34 and later). But for runs of api-calls, requests go to the
// API server at once: the gate SchedulerAsyncAPICalls is off, which 1.34.1 has on by default, and 1.36.2 off.
func startPlayed(ctx context.Context, k *playedScheduler, client *playedAPI, factory informers.SharedInformerFactory) (*Scheduler, error) {
	if err := utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("SchedulerAsyncAPICalls=%v", k.scope.calls)); err != nil {
		return nil, err
	}
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
