package scheduler

import "fmt"

// cacheSaysWhatApiServerSays: Once every event was delivered, the cache has the nodes and the bound pods of the API
// server.
func cacheSaysWhatApiServerSays(before observed, action observedAction, after observed) string {
	if after.crashed != "" || !after.delivered() {
		return ""
	}
	busy := map[string]bool{}
	for _, each := range after.goroutines {
		busy[each.pod.uid] = each.binding
	}
	bound := map[string]string{}
	for _, pod := range after.pods {
		if pod.node != "" && !busy[pod.uid] {
			bound[pod.uid] = pod.node
		}
	}
	for uid, each := range after.cached {
		if !busy[uid] && bound[uid] != each.pod.node {
			return fmt.Sprintf("everything was delivered, and %s on %s is in the cache, and not bound there", uid, each.pod.node)
		}
	}
	for uid, node := range bound {
		if each, there := after.cached[uid]; !there || each.pod.node != node {
			return fmt.Sprintf("everything was delivered, and %s is bound to %s, and not so in the cache", uid, node)
		}
	}
	for name, node := range after.cachedNodes {
		if _, there := after.nodes[name]; node.object != there {
			return fmt.Sprintf("everything was delivered, and node %s is in one of cache and API server only", name)
		}
	}
	for name := range after.nodes {
		if !after.cachedNodes[name].object {
			return fmt.Sprintf("everything was delivered, and node %s is in one of cache and API server only", name)
		}
	}
	return ""
}
