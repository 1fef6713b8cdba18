package scheduler

// A plugin that rejects pods (1.31).

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// playedClaim is what the queue calls a ResourceClaim.
const playedClaim = string(framework.ResourceClaim)

// playedRejecting rejects every pod while its condition does not hold, and waits for the event that tells of a change. For
// each such event a try is worth it. The plugin of the claims holds pods back before they are queued, too.
type playedRejecting struct {
	k    *playedScheduler
	name string
}

func playedRejector(k *playedScheduler, name string) interface{} { return &playedRejecting{k, name} }

func (p *playedRejecting) Name() string { return playedPlugin + p.name }

func (p *playedRejecting) Filter(context.Context, playedCycleState, *v1.Pod, playedAskedNode) *playedStatus {
	if p.k.accepts(p.name) {
		return nil
	}
	return framework.NewStatus(framework.Unschedulable)
}

func (p *playedRejecting) PreEnqueue(context.Context, *v1.Pod) *playedStatus {
	if p.k.accepts(p.name) {
		return nil
	}
	return framework.NewStatus(framework.UnschedulableAndUnresolvable)
}

func (p *playedRejecting) waits() []framework.ClusterEventWithHint {
	events := map[string][]framework.ClusterEvent{
		"NodeResourcesFit": {
			{Resource: framework.Node, ActionType: framework.UpdateNodeAllocatable}, {Resource: framework.Pod, ActionType: framework.Delete},
		},
		"NodeAffinity":    {{Resource: framework.Node, ActionType: framework.UpdateNodeLabel}},
		"TaintToleration": {{Resource: framework.Node, ActionType: framework.UpdateNodeTaint}},
		playedClaims:      {{Resource: framework.ResourceClaim, ActionType: framework.Add | framework.Update}},
	}
	var found []framework.ClusterEventWithHint
	for _, event := range events[p.name] {
		found = append(found, framework.ClusterEventWithHint{Event: event})
	}
	return found
}

func (p *playedRejecting) EventsToRegister(context.Context) ([]framework.ClusterEventWithHint, error) {
	return p.waits(), nil
}
