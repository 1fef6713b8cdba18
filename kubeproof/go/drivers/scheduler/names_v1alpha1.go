package scheduler

// Names of types (1.17).

import (
	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kubernetes/pkg/scheduler/apis/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
)

type (
	playedBindingArgs   = extenderv1.ExtenderBindingArgs
	playedBindingResult = extenderv1.ExtenderBindingResult
	playedFilterArgs    = extenderv1.ExtenderArgs
	playedFilterResult  = extenderv1.ExtenderFilterResult
	playedFitError      = core.FitError
	playedNodeInfo      = schedulernodeinfo.NodeInfo
	playedPriorityQueue = internalqueue.PriorityQueue
	playedQueuedPod     = framework.PodInfo
	playedStatus        = framework.Status
	playedWaitingPod    = framework.WaitingPod
)

func playedPodsOf(info *playedNodeInfo) []*v1.Pod { return info.Pods() }
