package scheduler

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/core"
)

// playedProvider registers the default provider, which a test of this package cannot import. Of its predicates those of
// volumes are left out, since no pod has one. It has no priorities: the action says to which node a pod goes.
func playedProvider() {
	RegisterPredicateMetadataProducerFactory(func(AlgorithmFactoryArgs) predicates.MetadataProducer {
		return (&predicates.MetadataProducerFactory{}).GetPredicateMetadata
	})
	RegisterFitPredicateFactory(predicates.MatchInterPodAffinityPred, func(args AlgorithmFactoryArgs) predicates.FitPredicate {
		return predicates.NewPodAffinityPredicate(args.SharedLister.NodeInfos(), args.SharedLister.Pods())
	})
	names := sets.NewString(
		predicates.MatchInterPodAffinityPred,
		RegisterFitPredicate(predicates.GeneralPred, predicates.GeneralPredicates),
		RegisterMandatoryFitPredicate(predicates.PodToleratesNodeTaintsPred, predicates.PodToleratesNodeTaints),
		RegisterMandatoryFitPredicate(predicates.CheckNodeUnschedulablePred, predicates.CheckNodeUnschedulablePredicate),
	)
	RegisterAlgorithmProvider(schedulerapi.SchedulerDefaultProviderName, names, sets.NewString())
}

// options configures the scheduler (1.17): backoffs are 0.
func (k *playedScheduler) options() []Option {
	playedProvider()
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
