// What is in flight from 1.28.1 to 1.31: one list has the pods, and the events that came since.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

const kpDiscards = false

func kpIsInFlight(q *PriorityQueue, uid types.UID) bool {
	_, found := q.inFlightPods[uid]
	return found
}

func kpObserveMore(q *PriorityQueue, seen map[string]interface{}) {
	uids, elements := []string{}, []string{}
	for uid := range q.inFlightPods {
		uids = append(uids, string(uid))
	}
	for element := q.inFlightEvents.Front(); element != nil; element = element.Next() {
		switch value := element.Value.(type) {
		case *v1.Pod:
			elements = append(elements, "pod:"+string(value.UID))
		case *clusterEvent:
			elements = append(elements, "event:"+kpLabel(value.event))
		}
	}
	seen["in_flight"], seen["in_flight_events"] = kpSorted(uids), elements
}
