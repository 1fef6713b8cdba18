package scheduler

// Names of types, where the queue is in pkg/scheduler/backend, and the framework's are in kube-scheduler (1.34 and later).

import (
	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type (
	playedAskedNode       = fwk.NodeInfo
	playedBindingArgs     = extenderv1.ExtenderBindingArgs
	playedBindingResult   = extenderv1.ExtenderBindingResult
	playedFilterArgs      = extenderv1.ExtenderArgs
	playedFilterResult    = extenderv1.ExtenderFilterResult
	playedCycleState      = fwk.CycleState
	playedFitError        = framework.FitError
	playedNodeInfo        = framework.NodeInfo
	playedPodInfo         = fwk.PodInfo
	playedPriorityQueue   = internalqueue.PriorityQueue
	playedQueuedPod       = framework.QueuedPodInfo
	playedRealFramework   = framework.Framework
	playedSchedulingQueue = internalqueue.SchedulingQueue
	playedStatus          = fwk.Status
)

func playedWait() *playedStatus { return fwk.NewStatus(fwk.Wait) }

func playedFailure() *playedStatus { return fwk.NewStatus(fwk.Error, "a plugin fails") }

func playedPodsOf(info *playedNodeInfo) []*v1.Pod {
	var pods []*v1.Pod
	for _, each := range info.Pods {
		pods = append(pods, each.GetPod())
	}
	return pods
}
