package scheduler

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
)

func (f *playedFramework) RunPermitPlugins(ctx context.Context, state playedCycleState, pod *v1.Pod, node string) *playedStatus {
	if f.k.scope.permit > 0 {
		f.k.gate("permit")
	}
	return f.playedRealFramework.RunPermitPlugins(ctx, state, pod, node)
}

func (k *playedScheduler) recorder(string) events.EventRecorder { return &playedEvents{k} }
