// NodeInfo of pkg/scheduler/framework/v1alpha1 (1.19).

package cache

import (
	"sort"

	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

func kpListed(snapshot *kpSnapshot) []*framework.NodeInfo { return snapshot.nodeInfoList }

func kpPods(info *framework.NodeInfo) []string {
	pods := []string{}
	for _, pod := range info.Pods {
		pods = append(pods, string(pod.Pod.UID))
	}
	sort.Strings(pods)
	return pods
}

func kpCPU(info *framework.NodeInfo) int64 { return info.Requested.MilliCPU }

const kpMayCountAll = false
