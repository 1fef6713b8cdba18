// AssignedPodUpdated from 1.28 to 1.30: it takes both pods, and makes the event itself.

package queue

import v1 "k8s.io/api/core/v1"

func kpAssignedPodUpdated(c *kpQueueCase, old, updated *v1.Pod) {
	c.invoke("AssignedPodUpdated", old, updated)
}
