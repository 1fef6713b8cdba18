// AssignedPodUpdated of 1.31: the caller names the event.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpAssignedPodUpdated(c *kpQueueCase, old, updated *v1.Pod) {
	event := framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodLabel, Label: "PodLabelChange"}
	c.invoke("AssignedPodUpdated", old, updated, event)
}
