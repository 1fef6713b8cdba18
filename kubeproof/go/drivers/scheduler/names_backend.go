package scheduler

// Names of types, where the queue is in pkg/scheduler/backend (1.34 and later).

import (
	"strings"

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

func playedActive(queue *playedPriorityQueue) []*v1.Pod { return queue.PodsInActiveQ() }

func playedBackoff(queue *playedPriorityQueue) []*v1.Pod { return queue.PodsInBackoffQ() }

// playedQuiet says whether no goroutine works on an attempt, beside that of its cycle and that of its binding: victims
// are deleted by a goroutine of their own.
func playedQuiet() bool { return !strings.Contains(playedStacks(), "prepareCandidateAsync") }
