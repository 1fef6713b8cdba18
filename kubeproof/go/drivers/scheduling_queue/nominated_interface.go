// The nominator of 1.22: the queue has it as an interface.

package queue

func kpNominated(q *PriorityQueue) map[string][]string {
	nominated := map[string][]string{}
	for node, pods := range q.PodNominator.(*nominator).nominatedPods {
		for _, pod := range pods {
			nominated[node] = append(nominated[node], string(pod.Pod.UID))
		}
	}
	return nominated
}
