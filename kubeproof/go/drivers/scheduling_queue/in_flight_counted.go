// What is in flight in 1.28.0: each event counts the pods that still need it.

package queue

import "k8s.io/apimachinery/pkg/types"

const kpDiscards = false

func kpIsInFlight(q *PriorityQueue, uid types.UID) bool {
	_, found := q.inFlightPods[uid]
	return found
}

func kpObserveMore(q *PriorityQueue, seen map[string]interface{}) {
	uids := []string{}
	for uid := range q.inFlightPods {
		uids = append(uids, string(uid))
	}
	events := [][]interface{}{}
	for element := q.receivedEvents.Front(); element != nil; element = element.Next() {
		event := element.Value.(*clusterEvent)
		events = append(events, []interface{}{kpLabel(event.event), event.inFlightPodsNum})
	}
	seen["in_flight"], seen["received_events"] = kpSorted(uids), events
}
