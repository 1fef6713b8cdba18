package scheduler

import "fmt"

// nodeInUseIsNotRemoved: The error function takes no node out of the cache that the API server has, if no event of it is
// to come.
func nodeInUseIsNotRemoved(before observed, action observedAction, after observed) string {
	node := action.args["node"]
	if _, there := before.nodes[node]; action.name != "remove_missing_node" || !there || after.crashed != "" {
		return ""
	}
	for _, event := range before.nodeWatch {
		if event.node.Name == node {
			return ""
		}
	}
	if before.cachedNodes[node].object && !after.cachedNodes[node].object {
		return fmt.Sprintf("the error function takes %s out of the cache; the API server has the node, and no event tells", node)
	}
	return ""
}
