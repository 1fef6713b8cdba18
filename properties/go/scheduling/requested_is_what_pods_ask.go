package scheduler

import "fmt"

// requestedIsWhatPodsAsk: In the cache what is requested on a node is the sum of what the pods there ask for.
func requestedIsWhatPodsAsk(before observed, action observedAction, after observed) string {
	for name, node := range after.cachedNodes {
		asked := int64(0)
		for _, pod := range node.pods {
			asked += pod.milli
		}
		if node.requested != asked {
			return fmt.Sprintf("the cache counts %d milli-CPU as requested on %s, and the pods there ask for %d", node.requested, name, asked)
		}
	}
	return ""
}
