package scheduler

import (
	"context"

	"k8s.io/client-go/informers"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/factory"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// startPlayed makes the scheduler; its queue runs already (1.16). Nothing configures the backoffs: they are set to 0.
func startPlayed(ctx context.Context, k *playedScheduler, client *playedAPI, informers informers.SharedInformerFactory) (*Scheduler, error) {
	k.playedProvider()
	provider := factory.DefaultProvider
	core := informers.Core().V1()
	sched, err := New(
		client, core.Nodes(), core.Pods(), core.PersistentVolumes(), core.PersistentVolumeClaims(), core.ReplicationControllers(),
		informers.Apps().V1().ReplicaSets(), informers.Apps().V1().StatefulSets(), core.Services(),
		informers.Policy().V1beta1().PodDisruptionBudgets(), informers.Storage().V1().StorageClasses(),
		informers.Storage().V1beta1().CSINodes(), &playedEvents{k},
		kubeschedulerconfig.SchedulerAlgorithmSource{Provider: &provider}, ctx.Done(), framework.NewRegistry(), nil, nil,
		WithPreemptionDisabled(!k.scope.preemption),
	)
	if err != nil {
		return nil, err
	}
	playedSet(sched.SchedulingQueue, "podBackoff", internalqueue.NewPodBackoffMap(0, 0, util.RealClock{}))
	return sched, k.addExtender(sched)
}
