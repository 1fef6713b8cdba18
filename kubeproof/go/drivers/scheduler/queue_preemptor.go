package scheduler

import v1 "k8s.io/api/core/v1"

// playedPreemptor is the real one with gates before its requests.
type playedPreemptor struct {
	podPreemptor
	k *playedScheduler
}

func (p *playedPreemptor) getUpdatedPod(pod *v1.Pod) (*v1.Pod, error) {
	p.k.gate("preempt")
	return p.podPreemptor.getUpdatedPod(pod)
}

func (p *playedPreemptor) setNominatedNodeName(pod *v1.Pod, node string) error {
	p.k.gate("set_nominated_node_name")
	return p.podPreemptor.setNominatedNodeName(pod, node)
}

func (p *playedPreemptor) deletePod(pod *v1.Pod) error {
	first := false
	p.k.note(func(a *playedAttempt) { first, a.deleting = !a.deleting, true })
	if first {
		p.k.gate("delete_victims")
	}
	return p.podPreemptor.deletePod(pod)
}
