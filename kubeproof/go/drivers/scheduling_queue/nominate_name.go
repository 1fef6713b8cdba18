// AddNominatedPod of 1.22: it takes the name of the node.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpPodInfo(pod *v1.Pod) *framework.PodInfo { return framework.NewPodInfo(pod) }

func kpNominate(c *kpQueueCase, info *framework.PodInfo, node string) {
	c.invoke("AddNominatedPod", info, node)
}
