// Hint functions from 1.31 to 1.33: as before, and there are events for parts of a pod.

package queue

import "k8s.io/kubernetes/pkg/scheduler/framework"

func kpHints() Option {
	hints, queue := kpOrError(), kpAnswers(framework.Queue, nil)
	kpRegister(hints, "OnPodLabel", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodLabel})
	return kpWithHints(hints)
}
