// AddNominatedPod from 1.23 on: it takes a NominatingInfo.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpPodInfo(pod *v1.Pod) *framework.PodInfo {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		panic(err)
	}
	return info
}

func kpNominate(c *kpQueueCase, info *framework.PodInfo, node string) {
	c.invoke("AddNominatedPod", info, &framework.NominatingInfo{NominatedNodeName: node, NominatingMode: framework.ModeOverride})
}
