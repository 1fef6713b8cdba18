// The nominator from 1.32 on: it keeps names of pods.

package queue

func kpNominated(q *PriorityQueue) map[string][]string {
	nominated := map[string][]string{}
	for node, pods := range q.nominator.nominatedPods {
		for _, pod := range pods {
			nominated[node] = append(nominated[node], string(pod.uid))
		}
	}
	return nominated
}
