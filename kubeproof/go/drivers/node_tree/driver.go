// Drives the nodeTree (node_tree.go).

package cache

import (
	"encoding/json"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestKubeproof(t *testing.T) {
	kpRun(t, func(json.RawMessage) (kpCase, error) { return &kpTreeCase{tree: kpNewTree()}, nil })
}

type kpTreeCase struct {
	tree *nodeTree
}

type kpTreeOp struct {
	Op      string `json:"op"`
	Node    string `json:"node"`
	Zone    string `json:"zone"`
	OldZone string `json:"old_zone"`
}

func (c *kpTreeCase) play(raw json.RawMessage) (map[string]interface{}, kpNext) {
	op := kpTreeOp{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	var err error
	var listed []string
	switch op.Op {
	case "add":
		kpAddNode(c.tree, kpNode(op.Node, op.Zone))
	case "remove":
		err = kpRemoveNode(c.tree, kpNode(op.Node, op.Zone))
	case "update":
		kpUpdateNode(c.tree, kpNode(op.Node, op.OldZone), kpNode(op.Node, op.Zone))
	case "list":
		listed, err = kpList(c.tree)
	default:
		panic(fmt.Sprintf("no operation %q", op.Op))
	}
	seen := c.observe(raw)
	seen["error"] = kpError(err)
	if op.Op == "list" {
		seen["list"] = append([]string{}, listed...)
	}
	return seen, kpGoOn
}

func (c *kpTreeCase) observe(json.RawMessage) map[string]interface{} {
	zones := []string{}
	for _, key := range c.tree.zones {
		zones = append(zones, kpBareZone(key))
	}
	seen := map[string]interface{}{"error": nil, "num_nodes": c.tree.numNodes, "zones": zones}
	kpObserveTree(c.tree, seen)
	return seen
}

// kpNode is a node in a zone, by both names of the label; "" means no labels.
func kpNode(name, zone string) *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if zone != "" {
		node.Labels = map[string]string{
			"failure-domain.beta.kubernetes.io/zone":   zone,
			"topology.kubernetes.io/zone":              zone,
			"failure-domain.beta.kubernetes.io/region": "r",
			"topology.kubernetes.io/region":            "r",
		}
	}
	return node
}

// kpBareZone is the zone of a zone key, which is region, ":\x00:", zone.
func kpBareZone(key string) string {
	const region = "r:\x00:"
	if len(key) >= len(region) && key[:len(region)] == region {
		return key[len(region):]
	}
	return key
}
