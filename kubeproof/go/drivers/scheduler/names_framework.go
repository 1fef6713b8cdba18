package scheduler

// Where the queue is (1.20 to 1.31).

import internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"

type (
	playedPriorityQueue   = internalqueue.PriorityQueue
	playedSchedulingQueue = internalqueue.SchedulingQueue
)
