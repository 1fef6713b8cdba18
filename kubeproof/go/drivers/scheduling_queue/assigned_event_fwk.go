// AssignedPodUpdated from 1.34 on: the caller names the event, whose resource is that of assigned pods.

package queue

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpAssignedPodUpdated(c *kpQueueCase, old, updated *v1.Pod) {
	event := framework.EventAssignedPodUpdate
	event.ActionType = fwk.UpdatePodLabel
	c.invoke("AssignedPodUpdated", old, updated, event)
}
