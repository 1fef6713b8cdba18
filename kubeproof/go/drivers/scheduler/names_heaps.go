package scheduler

// The pods of the queue's heaps, where the queue itself has the heaps (up to 1.31).

import v1 "k8s.io/api/core/v1"

func playedActive(queue *playedPriorityQueue) []*v1.Pod {
	return playedHeap(playedField(queue, "activeQ"))
}

func playedBackoff(queue *playedPriorityQueue) []*v1.Pod {
	return playedHeap(playedField(queue, "podBackoffQ"))
}

func playedHeap(heap interface{}) []*v1.Pod {
	var pods []*v1.Pod
	for _, each := range heap.(interface{ List() []interface{} }).List() {
		pods = append(pods, each.(*playedQueuedPod).Pod)
	}
	return pods
}

// playedQuiet says whether no goroutine works on an attempt, beside that of its cycle and that of its binding.
func playedQuiet() bool { return true }
