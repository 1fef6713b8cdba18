// AddNominatedPod where NominatingInfo is in k8s.io/kube-scheduler: it takes a NominatingInfo.

package queue

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
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
	c.invoke("AddNominatedPod", info, &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride})
}
