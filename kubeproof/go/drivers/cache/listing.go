package cache

// Runs of node-listing: nodes join, leave and change zone, and scheduling cycles take snapshots. AddNode, RemoveNode,
// UpdateNode and UpdateSnapshot of the cache are those of this tree, and each method of playedListing is one action of a
// run.

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// playedListing is the cache with one snapshot, and the nodes of which the cache was told.
type playedListing struct {
	cache    *kpCache
	snapshot *kpSnapshot
	nodes    map[string]*v1.Node
	// Whether the tree has not changed since the snapshot was taken, and whether this answered an error.
	fresh, failed bool
	property      observedProperty
	playedRun
}

// observed is a state: Go's own values.
type observed struct {
	fresh, failed bool
	// The zones in the order of the tree, and the nodes and the cursor of each.
	zones               []string
	nodes               map[string][]string
	lastIndex           map[string]int
	zoneIndex, numNodes int
	// The names in the snapshot's list, and those in its map, sorted.
	list, names []string
}

// observedAction is what led from one state to the next.
type observedAction struct{ name string }

// observedProperty says what is wrong after an action; "" if nothing is.
type observedProperty func(before observed, action observedAction, after observed) string

func newPlayedListing(t *testing.T, run playedRun) *playedListing {
	// From 1.32 on the cache counts into metrics that are not there before.
	metrics.Register()
	run.t = t
	k := &playedListing{cache: kpNewCache(0), snapshot: kpNewSnapshot(), nodes: map[string]*v1.Node{}, playedRun: run}
	t.Cleanup(k.report)
	return k
}

func (k *playedListing) addNode(name, zone string) {
	k.t.Helper()
	k.act("add_node", name, func() error {
		if k.nodes[name] != nil {
			return k.impossible("the node is there already")
		}
		k.nodes[name] = kpCacheNode{Name: name, Zone: zone}.node()
		kpAddNode(k.cache, k.nodes[name])
		return nil
	})
}

func (k *playedListing) removeNode(name string) {
	k.t.Helper()
	k.act("remove_node", name, func() error {
		node := k.nodes[name]
		if node == nil {
			return k.impossible("there is no such node")
		}
		delete(k.nodes, name)
		return kpRemoveNode(k.cache, node)
	})
}

func (k *playedListing) updateNode(name, zone string) {
	k.t.Helper()
	k.act("update_node", name, func() error {
		old := k.nodes[name]
		if old == nil {
			return k.impossible("there is no such node")
		}
		k.nodes[name] = kpCacheNode{Name: name, Zone: zone}.node()
		kpUpdateNode(k.cache, old, k.nodes[name])
		return nil
	})
}

func (k *playedListing) updateSnapshot() {
	k.t.Helper()
	k.act("update_snapshot", "", func() error {
		err := kpUpdateSnapshot(k.cache, k.snapshot)
		k.fresh, k.failed = true, err != nil
		return err
	})
}

func (k *playedListing) act(name, node string, does func() error) {
	k.t.Helper()
	before := k.observe()
	k.fresh = false
	k.take(strings.TrimSpace(name+" "+node), does, func(error) string {
		return k.property(before, observedAction{name}, k.observe())
	})
}

// mustHold asks a property after each action.
func (k *playedListing) mustHold(property observedProperty) { k.property = property }

// state compares the state with that of the run.
func (k *playedListing) state(changes ...string) {
	k.t.Helper()
	k.compare(k.observe().facts(), changes)
}

func (k *playedListing) observe() observed {
	tree := k.cache.nodeTree
	s := observed{
		fresh: k.fresh, failed: k.failed, nodes: map[string][]string{}, lastIndex: map[string]int{},
		zoneIndex: kpZoneIndex(tree), numNodes: tree.numNodes, names: kpNames(k.snapshot),
	}
	for _, key := range tree.zones {
		// A zone key is region, ":\x00:", zone.
		zone := key[strings.LastIndex(key, ":")+1:]
		s.zones = append(s.zones, zone)
		s.nodes[zone] = append([]string{}, kpNodesOf(tree, key)...)
		s.lastIndex[zone] = kpLastIndex(tree, key)
	}
	for _, info := range kpListed(k.snapshot) {
		name := ""
		if info.Node() != nil {
			name = info.Node().Name
		}
		s.list = append(s.list, name)
	}
	return s
}

// facts has the words of `facts` in kubeproof/systems/node_listing/words.py.
func (s observed) facts() map[string]string {
	f := map[string]string{
		"nodeTree: zones":     strings.Join(s.zones, ", "),
		"nodeTree: zoneIndex": strconv.Itoa(s.zoneIndex),
		"nodeTree: numNodes":  strconv.Itoa(s.numNodes),
	}
	for _, zone := range s.zones {
		f["nodeTree: nodes of "+zone] = strings.Join(s.nodes[zone], ", ")
		f["nodeTree: lastIndex of "+zone] = strconv.Itoa(s.lastIndex[zone])
	}
	// Nothing changes a snapshot before the next one is taken.
	if !s.fresh {
		return f
	}
	f["snapshot: nodeInfoList"] = fmt.Sprintf("[%s]", strings.Join(s.list, ", "))
	if s.failed {
		f["the last cycle"] = "failed"
	}
	if kpListsByMap && len(s.names) > 0 {
		f["snapshot: nodeInfoMap"] = strings.Join(s.names, ", ")
	}
	return f
}
