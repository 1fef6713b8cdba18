// NodeInfo of pkg/scheduler/nodeinfo, and a snapshot of this package (1.18).

package cache

import (
	"sort"

	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
)

func kpListed(snapshot *kpSnapshot) []*schedulernodeinfo.NodeInfo { return snapshot.nodeInfoList }

func kpPods(info *schedulernodeinfo.NodeInfo) []string {
	pods := []string{}
	for _, pod := range info.Pods() {
		pods = append(pods, string(pod.UID))
	}
	sort.Strings(pods)
	return pods
}

func kpCPU(info *schedulernodeinfo.NodeInfo) int64 { return info.RequestedResource().MilliCPU }

const kpMayCountAll = true
