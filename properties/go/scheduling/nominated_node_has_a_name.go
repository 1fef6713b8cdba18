package scheduler

// nominatedNodeHasAName: No pod is nominated to the node "".
func nominatedNodeHasAName(before observed, action observedAction, after observed) string {
	for _, each := range after.nominated {
		if each.node == "" {
			return each.uid + ` is nominated to the node ""`
		}
	}
	return ""
}
