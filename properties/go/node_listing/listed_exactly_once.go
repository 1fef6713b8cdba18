package cache

import (
	"fmt"
	"strings"
)

// listedExactlyOnce: After a snapshot each node of the tree stands in the scheduler's node list exactly once.
func listedExactlyOnce(before observed, action observedAction, after observed) string {
	if !after.fresh {
		return ""
	}
	listed := map[string]int{}
	for _, name := range after.list {
		listed[name]++
	}
	var missing, repeated, gone []string
	for _, zone := range after.zones {
		for _, name := range after.nodes[zone] {
			if listed[name] == 0 {
				missing = append(missing, name)
			} else if listed[name] > 1 {
				repeated = append(repeated, name)
			}
			delete(listed, name)
		}
	}
	for _, name := range after.list {
		if listed[name] > 0 {
			gone = append(gone, name)
		}
	}
	var parts []string
	for _, part := range []struct {
		names []string
		what  string
	}{
		{missing, "missing from the scheduler's node list"},
		{repeated, "in it twice or more"},
		{gone, "in it although no longer in the tree"},
	} {
		if len(part.names) > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", strings.Join(part.names, ", "), part.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: list = [%s]", strings.Join(parts, "; "), strings.Join(after.list, ", "))
}
