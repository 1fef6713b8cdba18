package scheduler

// What stands between the scheduler and the world: requests, queue, framework, the plugin at Permit, events.

import (
	"context"
	"reflect"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (c *playedPods) Bind(_ context.Context, binding *v1.Binding, _ metav1.CreateOptions) error {
	reply := c.k.gate("bind")["reply"]
	err := c.k.postBinding(binding, reply)
	if err != nil {
		c.k.gate("bind_failed")
	}
	return err
}

func (c *playedPods) Patch(_ context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	return c.k.patchStatus(name, patch)
}

func (c *playedPods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	return c.k.deleteVictim(name)
}

// playedQueue is the real queue with a gate before AddNominatedPod.
type playedQueue struct {
	playedSchedulingQueue
	k *playedScheduler
}

func (k *playedScheduler) queue() *playedPriorityQueue {
	return k.sched.SchedulingQueue.(*playedQueue).playedSchedulingQueue.(*playedPriorityQueue)
}

// playedFramework is the real framework with gates around what happens at Permit.
type playedFramework struct {
	playedRealFramework
	k *playedScheduler
}

func (f *playedFramework) WaitOnPermit(ctx context.Context, pod *v1.Pod) *playedStatus {
	f.k.inBinding()
	if f.GetWaitingPod(pod.UID) == nil {
		return f.playedRealFramework.WaitOnPermit(ctx, pod)
	}
	f.k.gate("listen")
	status := f.playedRealFramework.WaitOnPermit(ctx, pod)
	f.k.gate("wait_on_permit")
	return status
}

// playedPermit is a plugin at Permit that has a pod wait if the action says so.
type playedPermit struct{ k *playedScheduler }

func (p *playedPermit) Name() string { return playedPlugin }

func (p *playedPermit) Permit(context.Context, playedCycleState, *v1.Pod, string) (*playedStatus, time.Duration) {
	if p.k.waits > 0 {
		p.k.waits--
		return playedWait(), time.Hour
	}
	return nil, 0
}

func (k *playedScheduler) waitingPod(uid types.UID) playedWaitingPod {
	return k.sched.Profiles[v1.DefaultSchedulerName].GetWaitingPod(uid)
}

func (k *playedScheduler) extenders() []schedulerapi.Extender {
	var found []schedulerapi.Extender
	for i := 0; i < k.scope.extenders; i++ {
		found = append(found, schedulerapi.Extender{
			URLPrefix: k.extender.URL, BindVerb: "bind", Ignorable: k.scope.ignorable,
			HTTPTimeout: metav1.Duration{Duration: time.Hour},
		})
	}
	if k.scope.extender {
		found = append(found, schedulerapi.Extender{
			URLPrefix: k.extender.URL, FilterVerb: "filter", HTTPTimeout: metav1.Duration{Duration: time.Hour},
		})
	}
	return found
}

// options configures the scheduler: backoffs are 0, and what the scope has of plugins and extenders.
func (k *playedScheduler) options() ([]Option, error) {
	versioned := playedConfiguration{}
	scheme.Scheme.Default(&versioned)
	config := schedulerapi.KubeSchedulerConfiguration{}
	if err := scheme.Scheme.Convert(&versioned, &config, nil); err != nil {
		return nil, err
	}
	plugins := config.Profiles[0].Plugins
	if !k.scope.preemption {
		plugins.PostFilter = schedulerapi.PluginSet{Disabled: []schedulerapi.Plugin{{Name: "*"}}}
	}
	registry := frameworkruntime.Registry{}
	if k.scope.permit > 0 {
		plugins.Permit.Enabled = []schedulerapi.Plugin{{Name: playedPlugin}}
		// From 1.29 on a factory has a context.
		var plugin playedAnyPlugin = &playedPermit{k}
		var none error
		made := []reflect.Value{reflect.ValueOf(&plugin).Elem(), reflect.ValueOf(&none).Elem()}
		factory := reflect.MakeFunc(reflect.TypeOf(frameworkruntime.PluginFactory(nil)), func([]reflect.Value) []reflect.Value { return made })
		registry[playedPlugin] = factory.Interface().(frameworkruntime.PluginFactory)
	}
	return []Option{
		WithPodInitialBackoffSeconds(0), WithPodMaxBackoffSeconds(0), WithProfiles(config.Profiles...),
		WithFrameworkOutOfTreeRegistry(registry), WithExtenders(k.extenders()...),
	}, nil
}

// playedEvents notes FailedScheduling events.
type playedEvents struct{ k *playedScheduler }

func (r *playedEvents) Eventf(regarding, _ apiruntime.Object, _, reason, _, _ string, _ ...interface{}) {
	r.k.happened(reason, regarding)
}
