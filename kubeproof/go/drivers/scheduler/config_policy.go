package scheduler

import (
	"time"

	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/core"
)

// options configures the scheduler (1.17): backoffs are 0.
func (k *playedScheduler) options() []Option {
	return []Option{
		WithPodInitialBackoffSeconds(0), WithPodMaxBackoffSeconds(0), WithPreemptionDisabled(!k.scope.preemption),
	}
}

// addExtender adds the extender with the verb Filter, if there is one: the configuration names extenders in a policy, which
// is a file.
func (k *playedScheduler) addExtender(sched *Scheduler) error {
	if !k.scope.extender {
		return nil
	}
	extender, err := core.NewHTTPExtender(&schedulerapi.Extender{
		URLPrefix: k.extender.URL, FilterVerb: "filter", HTTPTimeout: time.Hour,
	})
	playedSet(sched.Algorithm, "extenders", []algorithm.SchedulerExtender{extender})
	return err
}
