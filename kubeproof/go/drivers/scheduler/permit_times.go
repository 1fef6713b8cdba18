package scheduler

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
)

// RunPermitPlugins says how long plugins have the pod wait (1.36): ScheduleOne makes the waiting pod.
func (f *playedFramework) RunPermitPlugins(ctx context.Context, state playedCycleState, pod *v1.Pod, node string) (map[string]time.Duration, *playedStatus) {
	if f.k.scope.permit > 0 {
		f.k.gate("permit")
	}
	return f.playedRealFramework.RunPermitPlugins(ctx, state, pod, node)
}

func (k *playedScheduler) recorder(string) events.EventRecorderLogger { return &playedEvents{k} }

func (r *playedEvents) WithLogger(klog.Logger) events.EventRecorderLogger { return r }
