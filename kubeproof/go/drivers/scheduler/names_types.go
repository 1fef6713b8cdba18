package scheduler

// Names of types, where those of the framework are in one package (1.20 to 1.33).

import (
	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type (
	playedAskedNode     = *framework.NodeInfo
	playedBindingArgs   = extenderv1.ExtenderBindingArgs
	playedBindingResult = extenderv1.ExtenderBindingResult
	playedFilterArgs    = extenderv1.ExtenderArgs
	playedFilterResult  = extenderv1.ExtenderFilterResult
	playedAnyPlugin     = framework.Plugin
	playedCycleState    = *framework.CycleState
	playedFitError      = framework.FitError
	playedNodeInfo      = framework.NodeInfo
	playedQueuedPod     = framework.QueuedPodInfo
	playedRealFramework = framework.Framework
	playedStatus        = framework.Status
	playedWaitingPod    = framework.WaitingPod
)

func playedWait() *playedStatus { return framework.NewStatus(framework.Wait) }

func playedFailure() *playedStatus { return framework.NewStatus(framework.Error, "a plugin fails") }

func playedPodsOf(info *playedNodeInfo) []*v1.Pod {
	var pods []*v1.Pod
	for _, each := range info.Pods {
		pods = append(pods, each.Pod)
	}
	return pods
}
