package scheduler

// A plugin that rejects pods (1.34 and later).

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// playedClaim is what the queue calls a ResourceClaim.
const playedClaim = string(fwk.ResourceClaim)

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
	return fwk.NewStatus(fwk.Unschedulable)
}

func (p *playedRejecting) PreEnqueue(context.Context, *v1.Pod) *playedStatus {
	if p.k.accepts(p.name) {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
}

func (p *playedRejecting) waits() []fwk.ClusterEventWithHint {
	events := map[string][]fwk.ClusterEvent{
		"NodeResourcesFit": {
			{Resource: fwk.Node, ActionType: fwk.UpdateNodeAllocatable}, {Resource: fwk.Pod, ActionType: fwk.Delete},
		},
		"NodeAffinity":    {{Resource: fwk.Node, ActionType: fwk.UpdateNodeLabel}},
		"TaintToleration": {{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}},
		playedClaims:      {{Resource: fwk.ResourceClaim, ActionType: fwk.Add | fwk.Update}},
	}
	var found []fwk.ClusterEventWithHint
	for _, event := range events[p.name] {
		found = append(found, fwk.ClusterEventWithHint{Event: event})
	}
	return found
}

func (p *playedRejecting) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return p.waits(), nil
}
