// NodeInfo and snapshot of pkg/scheduler/nodeinfo (1.17).

package cache

import (
	"sort"

	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	nodeinfosnapshot "k8s.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"
)

type kpSnapshot = nodeinfosnapshot.Snapshot

func kpNewSnapshot() *kpSnapshot { return nodeinfosnapshot.NewEmptySnapshot() }

func kpNames(snapshot *kpSnapshot) []string {
	names := []string{}
	for name := range snapshot.NodeInfoMap {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func kpListed(snapshot *kpSnapshot) []*schedulernodeinfo.NodeInfo { return snapshot.NodeInfoList }

func kpPods(info *schedulernodeinfo.NodeInfo) []string {
	pods := []string{}
	for _, pod := range info.Pods() {
		pods = append(pods, string(pod.UID))
	}
	sort.Strings(pods)
	return pods
}

func kpCPU(info *schedulernodeinfo.NodeInfo) int64 { return info.RequestedResource().MilliCPU }

const kpMayCountAll = false

// The tree is listed anew in each cycle, and the model has no map.
const kpListsByMap = false
