// The tree with cursors (up to 1.19).

package cache

func kpNodesOf(tree *nodeTree, zone string) []string { return tree.tree[zone].nodes }

func kpLastIndex(tree *nodeTree, zone string) int { return tree.tree[zone].lastIndex }

func kpZoneIndex(tree *nodeTree) int { return tree.zoneIndex }
