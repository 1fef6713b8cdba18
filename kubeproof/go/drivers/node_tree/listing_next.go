// The listing by cursors (1.15 to 1.19): a full pass asks next() as often as there are nodes.

package cache

func kpList(tree *nodeTree) ([]string, error) {
	names := []string{}
	for i := 0; i < tree.numNodes; i++ {
		names = append(names, tree.next())
	}
	return names, nil
}

func kpObserveTree(tree *nodeTree, seen map[string]interface{}) {
	nodes, last := map[string][]string{}, map[string]int{}
	for key, array := range tree.tree {
		nodes[kpBareZone(key)] = append([]string{}, array.nodes...)
		last[kpBareZone(key)] = array.lastIndex
	}
	seen["tree"], seen["zone_index"], seen["last_index"] = nodes, tree.zoneIndex, last
}
