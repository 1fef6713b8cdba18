package scheduler

import "fmt"

// cachedObjectsAreCurrent: Once every event was delivered, NodeInfos count pods by the objects that the informer has.
func cachedObjectsAreCurrent(before observed, action observedAction, after observed) string {
	if after.crashed != "" || !after.delivered() {
		return ""
	}
	for _, pod := range after.lister {
		for _, each := range after.cachedNodes[pod.node].pods {
			if each.uid == pod.uid && fmt.Sprint(each.labels) != fmt.Sprint(pod.labels) {
				return fmt.Sprintf("the NodeInfo counts %s with labels that the pod no longer has", pod.uid)
			}
		}
	}
	return ""
}
