package scheduler

// What stands between the scheduler and the world: requests, queue, framework, the plugin at Permit, events.

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (c *playedPods) Bind(_ context.Context, binding *v1.Binding, _ metav1.CreateOptions) error {
	if c.k.scope.calls {
		return c.k.dispatched(func(refused bool) error {
			return c.k.postBinding(binding, map[bool]string{true: "refused"}[refused])
		})
	}
	reply := c.k.gate("bind")["reply"]
	err := c.k.postBinding(binding, reply)
	if err != nil {
		c.k.gate(c.k.afterFailedBinding())
	}
	return err
}

func (c *playedPods) Patch(ctx context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	var pod *v1.Pod
	if c.k.scope.calls {
		err := c.k.dispatched(func(bool) (err error) {
			pod, err = c.k.patchStatus(name, patch)
			return err
		})
		return pod, err
	}
	c.k.nominatesHost()
	err := c.k.request(ctx, "PATCH", func() (err error) {
		pod, err = c.k.patchStatus(name, patch)
		return err
	})
	return pod, err
}

// ApplyStatus is how preemption gives a victim its condition in 1.28.0.
func (c *playedPods) ApplyStatus(_ context.Context, pod *corev1apply.PodApplyConfiguration, _ metav1.ApplyOptions) (*v1.Pod, error) {
	patch, err := json.Marshal(map[string]interface{}{"status": pod.Status})
	if err != nil {
		return nil, err
	}
	return c.k.patchStatus(*pod.Name, patch)
}

// nominatesHost holds the goroutine of a binding before its first request, which nominates the pod to its host (1.35 on).
func (k *playedScheduler) nominatesHost() {
	first := false
	k.note(func(a *playedAttempt) { first = a.fits && a.binding == "" && playedGoroutine() != a.cycle })
	if first {
		k.inBinding()
		k.gate("nominate_host")
	}
}

func (c *playedPods) Delete(ctx context.Context, name string, _ metav1.DeleteOptions) error {
	return c.k.request(ctx, "DELETE", func() error { return c.k.deleteVictim(name) })
}

// playedQueue is the real queue with a gate before AddNominatedPod.
type playedQueue struct {
	playedSchedulingQueue
	k *playedScheduler
}

func (k *playedScheduler) queue() *playedPriorityQueue {
	return k.sched.SchedulingQueue.(*playedQueue).playedSchedulingQueue.(*playedPriorityQueue)
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
	if len(k.scope.answers) > 0 {
		wrong := schedulerapi.Extender{
			URLPrefix: k.extender.URL, Weight: k.scope.weight, HTTPTimeout: metav1.Duration{Duration: time.Hour},
		}
		for verb, of := range map[string]*string{
			"filter": &wrong.FilterVerb, "prioritize": &wrong.PrioritizeVerb, "preempt": &wrong.PreemptVerb,
		} {
			if _, answers := k.scope.answers[verb]; answers {
				*of = verb
			}
		}
		found = append(found, wrong)
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
	if plugin := k.nominator(); plugin != nil {
		plugins.PostFilter.Enabled = []schedulerapi.Plugin{{Name: plugin.Name()}}
		registry[plugin.Name()] = playedFactory(plugin.(playedAnyPlugin))
	}
	for i := 1; i <= k.scope.permit; i++ {
		name := fmt.Sprint(playedPlugin, i)
		plugins.Permit.Enabled = append(plugins.Permit.Enabled, schedulerapi.Plugin{Name: name})
		registry[name] = playedFactory(&playedPermit{k, name})
	}
	if k.scope.hints {
		config.Profiles[0].Plugins = k.hintsPlugins()
		for _, name := range k.waitsFor() {
			registry[playedPlugin+name] = playedFactory(playedRejector(k, name).(playedAnyPlugin))
		}
	}
	return []Option{
		WithPodInitialBackoffSeconds(0), WithPodMaxBackoffSeconds(0), WithProfiles(config.Profiles...),
		WithFrameworkOutOfTreeRegistry(registry), WithExtenders(k.extenders()...),
	}, nil
}

// playedFactory makes a plugin. From 1.29 on a factory has a context.
func playedFactory(plugin playedAnyPlugin) frameworkruntime.PluginFactory {
	var none error
	made := []reflect.Value{reflect.ValueOf(&plugin).Elem(), reflect.ValueOf(&none).Elem()}
	factory := reflect.MakeFunc(reflect.TypeOf(frameworkruntime.PluginFactory(nil)), func([]reflect.Value) []reflect.Value { return made })
	return factory.Interface().(frameworkruntime.PluginFactory)
}

// playedEvents notes FailedScheduling events.
type playedEvents struct{ k *playedScheduler }

func (r *playedEvents) Eventf(regarding, _ apiruntime.Object, _, reason, _, _ string, _ ...interface{}) {
	r.k.happened(reason, regarding)
}
