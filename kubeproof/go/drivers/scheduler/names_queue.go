package scheduler

// The pods of the queue, where the queue is in pkg/scheduler/backend (1.33 and later).

import (
	"strings"

	v1 "k8s.io/api/core/v1"
)

func playedActive(queue *playedPriorityQueue) []*v1.Pod { return queue.PodsInActiveQ() }

func playedBackoff(queue *playedPriorityQueue) []*v1.Pod { return queue.PodsInBackoffQ() }

// playedQuiet says whether no goroutine works on an attempt, beside that of its cycle and that of its binding: victims
// are deleted by a goroutine of their own.
func playedQuiet() bool { return !strings.Contains(playedStacks(), "prepareCandidateAsync") }
