package cpumanager

import (
	"fmt"
	"strings"
)

// exclusiveSetsDisjoint: No CPU belongs to two containers, except to an init container and later containers of its own
// pod.
func exclusiveSetsDisjoint(before observed, action observedAction, after observed) string {
	for one, cpus := range after.exclusive {
		for other, others := range after.exclusive {
			both := cpus.Intersection(others)
			a, b := strings.Split(one, "/"), strings.Split(other, "/")
			sameEndsFirst := a[0] == b[0] && (strings.HasPrefix(a[1], "i") || strings.HasPrefix(b[1], "i"))
			if one < other && !both.IsEmpty() && !sameEndsFirst {
				return fmt.Sprintf("CPUs %s belong to %s and to %s", both, one, other)
			}
		}
	}
	return ""
}
