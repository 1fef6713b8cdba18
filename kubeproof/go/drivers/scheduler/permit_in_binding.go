package scheduler

import (
	"context"

	v1 "k8s.io/api/core/v1"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// RunPermitPlugins is the first call of the goroutine of the binding (1.17).
func (f *playedFramework) RunPermitPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *playedStatus {
	f.k.inBinding()
	return f.Framework.RunPermitPlugins(ctx, state, pod, node)
}
