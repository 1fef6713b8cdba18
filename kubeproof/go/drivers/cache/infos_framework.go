// NodeInfo of pkg/scheduler/framework (1.20 to 1.33).

package cache

import (
	"sort"

	"k8s.io/kubernetes/pkg/scheduler/framework"
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
