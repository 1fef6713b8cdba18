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
	"k8s.io/client-go/tools/events"
	configv1 "k8s.io/kube-scheduler/config/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"
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
	c.k.mu.Lock()
	defer c.k.mu.Unlock()
	if pod := c.k.pods[name]; pod != nil && c.k.moving != nil {
		c.k.victims[string(pod.UID)] = string(c.k.moving.pod.UID)
	}
	return c.k.deletePod(name)
}

// playedQueue is the real queue with a gate before AddNominatedPod.
type playedQueue struct {
	internalqueue.SchedulingQueue
	k *playedScheduler
}

func (k *playedScheduler) queue() *internalqueue.PriorityQueue {
	return k.sched.SchedulingQueue.(*playedQueue).SchedulingQueue.(*internalqueue.PriorityQueue)
}

// playedFramework is the real framework with gates around what happens at Permit.
type playedFramework struct {
	framework.Framework
	k *playedScheduler
}

func (f *playedFramework) RunPermitPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	if f.k.scope.permit > 0 {
		f.k.gate("permit")
	}
	return f.Framework.RunPermitPlugins(ctx, state, pod, node)
}

func (f *playedFramework) WaitOnPermit(ctx context.Context, pod *v1.Pod) *framework.Status {
	if f.GetWaitingPod(pod.UID) == nil {
		return f.Framework.WaitOnPermit(ctx, pod)
	}
	f.k.gate("listen")
	status := f.Framework.WaitOnPermit(ctx, pod)
	f.k.gate("wait_on_permit")
	return status
}

// playedPermit is a plugin at Permit that has a pod wait if the action says so.
type playedPermit struct{ k *playedScheduler }

func (p *playedPermit) Name() string { return playedPlugin }

func (p *playedPermit) Permit(context.Context, *framework.CycleState, *v1.Pod, string) (*framework.Status, time.Duration) {
	if p.k.waits > 0 {
		p.k.waits--
		return framework.NewStatus(framework.Wait), time.Hour
	}
	return nil, 0
}

// options configures the scheduler: backoffs are 0, and what the scope has of plugins and extenders.
func (k *playedScheduler) options() ([]Option, error) {
	versioned := configv1.KubeSchedulerConfiguration{}
	scheme.Scheme.Default(&versioned)
	config := schedulerapi.KubeSchedulerConfiguration{}
	if err := scheme.Scheme.Convert(&versioned, &config, nil); err != nil {
		return nil, err
	}
	plugins := config.Profiles[0].Plugins
	if !k.scope.preemption {
		plugins.PostFilter.Disabled = []schedulerapi.Plugin{{Name: "*"}}
	}
	registry := frameworkruntime.Registry{}
	if k.scope.permit > 0 {
		plugins.Permit.Enabled = []schedulerapi.Plugin{{Name: playedPlugin}}
		// From 1.29 on a factory has a context.
		var plugin framework.Plugin = &playedPermit{k}
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

func (k *playedScheduler) recorder(string) events.EventRecorder { return &playedEvents{k} }

func (r *playedEvents) Eventf(regarding, _ apiruntime.Object, _, reason, _, _ string, _ ...interface{}) {
	switch reason {
	case "FailedScheduling":
		r.k.mu.Lock()
		defer r.k.mu.Unlock()
		r.k.failures[string(regarding.(*v1.Pod).UID)]++
	case playedBindingEnds:
		r.k.note(func(a *playedAttempt) { a.over = true })
	}
}
