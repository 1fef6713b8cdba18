package scheduler

// Names of types (1.16).

import (
	v1 "k8s.io/api/core/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
)

type (
	playedBindingArgs   = schedulerapi.ExtenderBindingArgs
	playedBindingResult = schedulerapi.ExtenderBindingResult
	playedFilterArgs    = schedulerapi.ExtenderArgs
	playedFilterResult  = schedulerapi.ExtenderFilterResult
	playedFitError      = core.FitError
	playedNodeInfo      = schedulernodeinfo.NodeInfo
	playedPriorityQueue = internalqueue.PriorityQueue
	playedQueuedPod     = framework.PodInfo
	playedStatus        = framework.Status
	playedWaitingPod    = framework.WaitingPod
)

func playedPodsOf(info *playedNodeInfo) []*v1.Pod { return info.Pods() }
