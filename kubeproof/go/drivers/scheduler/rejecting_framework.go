package scheduler

// The events of a plugin that rejects pods (1.28 to 1.33).

import "k8s.io/kubernetes/pkg/scheduler/framework"

// playedClaim is what the queue calls a ResourceClaim.
const playedClaim = string(framework.ResourceClaim)

type playedEventWithHint = framework.ClusterEventWithHint

func playedUnschedulable() *playedStatus { return framework.NewStatus(framework.Unschedulable) }

func playedUnresolvable() *playedStatus {
	return framework.NewStatus(framework.UnschedulableAndUnresolvable)
}

// playedAwaited says by plugin which events tell of a change of the plugin's condition.
func playedAwaited() map[string][]framework.ClusterEvent {
	return map[string][]framework.ClusterEvent{
		"NodeResourcesFit": {
			{Resource: framework.Node, ActionType: framework.UpdateNodeAllocatable}, {Resource: framework.Pod, ActionType: framework.Delete},
		},
		"NodeAffinity":    {{Resource: framework.Node, ActionType: framework.UpdateNodeLabel}},
		"TaintToleration": {{Resource: framework.Node, ActionType: framework.UpdateNodeTaint}},
		playedClaims:      {{Resource: framework.ResourceClaim, ActionType: framework.Add | framework.Update}},
	}
}
