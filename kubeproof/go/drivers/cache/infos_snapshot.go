// The snapshot of this package (1.18 and later).

package cache

import "sort"

type kpSnapshot = Snapshot

func kpNewSnapshot() *kpSnapshot { return NewEmptySnapshot() }

func kpNames(snapshot *kpSnapshot) []string {
	names := []string{}
	for name := range snapshot.nodeInfoMap {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Whether the tree is listed anew only when names join or leave the map.
const kpListsByMap = true
