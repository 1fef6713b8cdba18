package scheduler

import "fmt"

// nominatedToOneNode: A pod is nominated to one node at most.
func nominatedToOneNode(before observed, action observedAction, after observed) string {
	nodes := map[string]string{}
	for _, each := range after.nominated {
		if node, there := nodes[each.uid]; there {
			return fmt.Sprintf("%s is nominated to %s and %s", each.uid, node, each.node)
		}
		nodes[each.uid] = each.node
	}
	return ""
}
