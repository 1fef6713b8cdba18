package scheduler

import (
	"fmt"
	"reflect"
)

// snapshotMapEqualsCache: The map of a snapshot has the NodeInfos that the cache has at that moment, and no others.
func snapshotMapEqualsCache(before observed, action observedAction, after observed) string {
	if action.name != "schedule" || after.crashed != "" {
		return ""
	}
	for name, node := range after.cachedNodes {
		copied, there := after.snapshotMap[name]
		switch {
		case !node.object:
		case !there || !copied.object:
			return fmt.Sprintf("in the snapshot just taken the map has no NodeInfo of %s", name)
		case !reflect.DeepEqual(copied, node):
			return fmt.Sprintf("in the snapshot just taken the map's NodeInfo of %s is another than the cache's", name)
		}
	}
	for name, copied := range after.snapshotMap {
		if copied.object && !after.cachedNodes[name].object {
			return fmt.Sprintf("in the snapshot just taken the map has a NodeInfo of %s, which the cache has not", name)
		}
	}
	return ""
}
