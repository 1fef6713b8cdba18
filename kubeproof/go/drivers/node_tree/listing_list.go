// The listing without cursors (1.20 and later).

package cache

func kpList(tree *nodeTree) ([]string, error) { return tree.list() }

func kpObserveTree(tree *nodeTree, seen map[string]interface{}) {
	nodes := map[string][]string{}
	for key, names := range tree.tree {
		nodes[kpBareZone(key)] = append([]string{}, names...)
	}
	seen["tree"] = nodes
}
