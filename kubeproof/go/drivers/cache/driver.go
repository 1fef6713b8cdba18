// Drives the scheduler's cache (cache.go) with one snapshot.

package cache

import (
	"encoding/json"
	"fmt"
	"sort"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

func TestKubeproof(t *testing.T) {
	// From 1.32 on the cache counts into metrics that are not there before.
	metrics.Register()
	kpRun(t, func(raw json.RawMessage) (kpCase, error) {
		config := struct {
			TTL int `json:"ttl_ms"`
		}{}
		if err := json.Unmarshal(raw, &config); err != nil {
			return nil, err
		}
		ttl := time.Duration(config.TTL) * time.Millisecond
		return &kpCacheCase{cache: kpNewCache(ttl), snapshot: kpNewSnapshot()}, nil
	})
}

type kpCacheCase struct {
	cache    *kpCache
	snapshot *kpSnapshot
}

type kpCacheNode struct {
	Name string `json:"name"`
	Zone string `json:"zone"`
	CPU  int64  `json:"cpu_milli"`
}

type kpCachePod struct {
	UID  string `json:"uid"`
	CPU  int64  `json:"cpu_milli"`
	Node string `json:"node"`
}

type kpCacheOp struct {
	Op      string      `json:"op"`
	Node    kpCacheNode `json:"node"`
	OldNode kpCacheNode `json:"old_node"`
	Pod     kpCachePod  `json:"pod"`
	OldPod  kpCachePod  `json:"old_pod"`
	Now     int64       `json:"now"`
}

// kpStart is the time 0 of a case.
var kpStart = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func kpTime(ms int64) time.Time { return kpStart.Add(time.Duration(ms) * time.Millisecond) }

func (c *kpCacheCase) play(raw json.RawMessage) (map[string]interface{}, kpNext) {
	op := kpCacheOp{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	if op.Op == "update_snapshot" && c.deletesByChance() {
		return nil, kpCut
	}
	if (op.Op == "finish_binding" || op.Op == "expire") && !kpExpires {
		return nil, kpLeaveOut
	}
	err := c.call(op)
	seen := c.observe(raw)
	seen["error"] = kpError(err)
	return seen, kpGoOn
}

func (c *kpCacheCase) call(op kpCacheOp) error {
	switch op.Op {
	case "add_node":
		kpAddNode(c.cache, op.Node.node())
	case "update_node":
		kpUpdateNode(c.cache, op.OldNode.node(), op.Node.node())
	case "remove_node":
		return kpRemoveNode(c.cache, op.Node.node())
	case "assume_pod":
		return kpAssumePod(c.cache, op.Pod.pod())
	case "finish_binding":
		return kpFinishBinding(c.cache, op.Pod.pod(), kpTime(op.Now))
	case "forget_pod":
		return kpForgetPod(c.cache, op.Pod.pod())
	case "add_pod":
		return kpAddPod(c.cache, op.Pod.pod())
	case "update_pod":
		return kpUpdatePod(c.cache, op.OldPod.pod(), op.Pod.pod())
	case "remove_pod":
		return kpRemovePod(c.cache, op.Pod.pod())
	case "expire":
		kpExpire(c.cache, kpTime(op.Now))
	case "update_snapshot":
		return kpUpdateSnapshot(c.cache, c.snapshot)
	default:
		panic(fmt.Sprintf("no operation %q", op.Op))
	}
	return nil
}

// deletesByChance says whether removeDeletedNodesFromSnapshot would delete some of the stale names, and not all: it
// picks them in the order of a Go map.
func (c *kpCacheCase) deletesByChance() bool {
	known := map[string]bool{}
	for name, item := range c.cache.nodes {
		known[name] = item.info.Node() != nil
	}
	if c.deletesSome(known, c.cache.nodeTree.numNodes) {
		return true
	}
	// Some of these releases count a NodeInfo without a Node object too.
	for name := range known {
		known[name] = true
	}
	return kpMayCountAll && c.deletesSome(known, len(known))
}

// deletesSome says whether some names of the snapshot are stale, and fewer are deleted: as many as are too many.
func (c *kpCacheCase) deletesSome(known map[string]bool, count int) bool {
	names := map[string]bool{}
	for _, name := range kpNames(c.snapshot) {
		names[name] = true
	}
	for name, item := range c.cache.nodes {
		if item.info.Node() != nil {
			names[name] = true
		}
	}
	stale := 0
	for name := range names {
		if !known[name] {
			stale++
		}
	}
	surplus := len(names) - count
	return 0 < surplus && surplus < stale
}

func (c *kpCacheCase) observe(raw json.RawMessage) map[string]interface{} {
	op := kpCacheOp{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	states, assumed := map[string]interface{}{}, []string{}
	for key, state := range c.cache.podStates {
		finished, deadline := kpBinding(state)
		var ms interface{}
		if deadline != nil {
			ms = deadline.Sub(kpStart).Milliseconds()
		}
		states[key] = []interface{}{state.pod.Spec.NodeName, finished, ms}
	}
	for key := range c.cache.assumedPods {
		assumed = append(assumed, key)
	}
	sort.Strings(assumed)
	seen := map[string]interface{}{"error": nil, "pod_states": states, "assumed": assumed}
	if op.Op == "update_snapshot" {
		c.observeSnapshot(seen)
	}
	return seen
}

func (c *kpCacheCase) observeSnapshot(seen map[string]interface{}) {
	listed, nodes := []interface{}{}, map[string]interface{}{}
	for _, info := range kpListed(c.snapshot) {
		// A placeholder has no Node object: in a list it would have no name.
		name := ""
		if info.Node() != nil {
			name = info.Node().Name
		}
		listed = append(listed, []interface{}{name, kpPods(info), kpCPU(info)})
	}
	for name, item := range c.cache.nodes {
		nodes[name] = []interface{}{item.info.Node() != nil, kpPods(item.info), kpCPU(item.info)}
	}
	seen["snapshot"], seen["snapshot_map"], seen["cache_nodes"] = listed, kpNames(c.snapshot), nodes
	seen["num_nodes"] = c.cache.nodeTree.numNodes
}

func (n kpCacheNode) node() *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name}}
	if n.Zone != "" {
		node.Labels = map[string]string{
			"failure-domain.beta.kubernetes.io/zone":   n.Zone,
			"topology.kubernetes.io/zone":              n.Zone,
			"failure-domain.beta.kubernetes.io/region": "r",
			"topology.kubernetes.io/region":            "r",
		}
	}
	node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(n.CPU, resource.DecimalSI)}
	return node
}

func (p kpCachePod) pod() *v1.Pod {
	requests := v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(p.CPU, resource.DecimalSI)}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: p.UID, Namespace: "ns", UID: types.UID(p.UID)},
		Spec: v1.PodSpec{
			NodeName:   p.Node,
			Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: requests}}},
		},
	}
}
