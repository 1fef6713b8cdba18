package scheduler

import "fmt"

// nominatedPodIsPending: No pod that is bound or gone stays nominated.
func nominatedPodIsPending(before observed, action observedAction, after observed) string {
	for _, each := range after.nominated {
		name := podNameOf(each.uid)
		listed, there := after.lister[name]
		pending := there && listed.uid == each.uid && listed.node == ""
		if each.node == "" || pending || after.underWay(name) || len(after.goroutinesOf(name)) > 0 {
			continue
		}
		return fmt.Sprintf("%s is bound or gone, and stays nominated to %s", each.uid, each.node)
	}
	return ""
}
