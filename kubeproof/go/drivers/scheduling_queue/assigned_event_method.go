// AssignedPodUpdated of 1.32 and 1.33: the caller names the event, whose resource is that of assigned pods.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpAssignedPodUpdated(c *kpQueueCase, old, updated *v1.Pod) {
	event := framework.EventAssignedPodUpdate
	event.ActionType = framework.UpdatePodLabel
	c.invoke("AssignedPodUpdated", old, updated, event)
}
