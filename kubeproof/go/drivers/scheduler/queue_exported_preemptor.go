package scheduler

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/factory"
)

// playedPreemptor is the real one with gates before its requests (1.16).
type playedPreemptor struct {
	factory.PodPreemptor
	k *playedScheduler
}

func (p *playedPreemptor) GetUpdatedPod(pod *v1.Pod) (*v1.Pod, error) {
	p.k.gate("preempt")
	return p.PodPreemptor.GetUpdatedPod(pod)
}

func (p *playedPreemptor) SetNominatedNodeName(pod *v1.Pod, node string) error {
	p.k.gate("set_nominated_node_name")
	return p.PodPreemptor.SetNominatedNodeName(pod, node)
}

func (p *playedPreemptor) DeletePod(pod *v1.Pod) error {
	first := false
	p.k.note(func(a *playedAttempt) { first, a.deleting = !a.deleting, true })
	if first {
		p.k.gate("delete_victims")
	}
	return p.PodPreemptor.DeletePod(pod)
}
