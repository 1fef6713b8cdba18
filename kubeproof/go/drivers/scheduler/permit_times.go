package scheduler

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPermitPlugins says how long plugins have the pod wait (1.36): ScheduleOne makes the waiting pod.
func (f *playedFramework) RunPermitPlugins(ctx context.Context, state playedCycleState, pod *v1.Pod, node string) (map[string]time.Duration, *playedStatus) {
	if f.k.scope.permit > 0 {
		f.k.gate("permit")
	}
	return f.playedRealFramework.RunPermitPlugins(ctx, state, pod, node)
}

// RunPreFilterPlugins stops before the filters, if plugins may fail.
func (f *playedFramework) RunPreFilterPlugins(ctx context.Context, state playedCycleState, pod *v1.Pod) (*fwk.PreFilterResult, *playedStatus, sets.Set[string]) {
	if f.k.scope.failures && f.k.gate("find_nodes")["fails"] != "" {
		return nil, playedFailure(), nil
	}
	return f.playedRealFramework.RunPreFilterPlugins(ctx, state, pod)
}

// RunPreBindPreFlights says that a plugin has work in PreBind, if plugins may fail.
func (f *playedFramework) RunPreBindPreFlights(ctx context.Context, state playedCycleState, pod *v1.Pod, node string) *playedStatus {
	if f.k.scope.failures {
		return nil
	}
	return f.playedRealFramework.RunPreBindPreFlights(ctx, state, pod, node)
}

func (k *playedScheduler) recorder(string) events.EventRecorderLogger { return &playedEvents{k} }

func (r *playedEvents) WithLogger(klog.Logger) events.EventRecorderLogger { return r }
