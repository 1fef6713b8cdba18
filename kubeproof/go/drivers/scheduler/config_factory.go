package scheduler

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	"k8s.io/kubernetes/pkg/scheduler/factory"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
)

// playedProvider registers the default provider. Of its predicates those of volumes are left out, since no pod has one. It
// has no priorities: the action says to which node a pod goes.
func (k *playedScheduler) playedProvider() {
	factory.RegisterPredicateMetadataProducerFactory(func(args factory.PluginFactoryArgs) predicates.PredicateMetadataProducer {
		real := predicates.NewPredicateMetadataFactory(args.PodLister)
		return func(pod *v1.Pod, nodes map[string]*schedulernodeinfo.NodeInfo) predicates.PredicateMetadata {
			k.findsNodes()
			return real(pod, nodes)
		}
	})
	factory.RegisterFitPredicateFactory(predicates.MatchInterPodAffinityPred, func(args factory.PluginFactoryArgs) predicates.FitPredicate {
		return predicates.NewPodAffinityPredicate(args.NodeInfo, args.PodLister)
	})
	names := sets.NewString(
		predicates.MatchInterPodAffinityPred,
		factory.RegisterFitPredicate(predicates.GeneralPred, predicates.GeneralPredicates),
		factory.RegisterMandatoryFitPredicate(predicates.PodToleratesNodeTaintsPred, predicates.PodToleratesNodeTaints),
		factory.RegisterMandatoryFitPredicate(predicates.CheckNodeUnschedulablePred, predicates.CheckNodeUnschedulablePredicate),
	)
	factory.RegisterAlgorithmProvider(factory.DefaultProvider, names, sets.NewString())
}

// addExtender adds the extender with the verb Filter, if there is one: the configuration names extenders in a policy, which
// is a file.
func (k *playedScheduler) addExtender(sched *Scheduler) error {
	if !k.scope.extender {
		return nil
	}
	extender, err := core.NewHTTPExtender(&schedulerapi.ExtenderConfig{
		URLPrefix: k.extender.URL, FilterVerb: "filter", HTTPTimeout: time.Hour,
	})
	playedSet(sched.Algorithm, "extenders", []algorithm.SchedulerExtender{extender})
	return err
}
