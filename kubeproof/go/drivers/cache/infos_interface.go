// NodeInfo with pods behind an interface (1.34 and later).

package cache

import (
	"sort"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpListed(snapshot *kpSnapshot) []*framework.NodeInfo {
	listed := []*framework.NodeInfo{}
	for _, info := range snapshot.nodeInfoList {
		listed = append(listed, info.(*framework.NodeInfo))
	}
	return listed
}

func kpPods(info *framework.NodeInfo) []string {
	pods := []string{}
	for _, pod := range info.Pods {
		pods = append(pods, string(pod.GetPod().UID))
	}
	sort.Strings(pods)
	return pods
}

func kpCPU(info *framework.NodeInfo) int64 { return info.Requested.MilliCPU }

const kpMayCountAll = false
