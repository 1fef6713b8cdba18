package scheduler

// Where the queue is, and what preemption has of the framework (1.33).

import (
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type (
	playedHandle          = framework.Handle
	playedPodInfo         = *framework.PodInfo
	playedPriorityQueue   = internalqueue.PriorityQueue
	playedSchedulingQueue = internalqueue.SchedulingQueue
)
