// AssignedPodUpdated up to 1.27: it takes the new pod alone.

package queue

import v1 "k8s.io/api/core/v1"

func kpAssignedPodUpdated(c *kpQueueCase, _, updated *v1.Pod) {
	c.invoke("AssignedPodUpdated", updated)
}
