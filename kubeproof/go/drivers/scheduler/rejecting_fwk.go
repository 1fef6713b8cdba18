package scheduler

// The events of a plugin that rejects pods (1.34 and later).

import fwk "k8s.io/kube-scheduler/framework"

// playedClaim is what the queue calls a ResourceClaim.
const playedClaim = string(fwk.ResourceClaim)

type playedEventWithHint = fwk.ClusterEventWithHint

func playedUnschedulable() *playedStatus { return fwk.NewStatus(fwk.Unschedulable) }

func playedUnresolvable() *playedStatus {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
}

// playedAwaited says by plugin which events tell of a change of the plugin's condition.
func playedAwaited() map[string][]fwk.ClusterEvent {
	return map[string][]fwk.ClusterEvent{
		"NodeResourcesFit": {
			{Resource: fwk.Node, ActionType: fwk.UpdateNodeAllocatable}, {Resource: fwk.Pod, ActionType: fwk.Delete},
		},
		"NodeAffinity":    {{Resource: fwk.Node, ActionType: fwk.UpdateNodeLabel}},
		"TaintToleration": {{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}},
		playedClaims:      {{Resource: fwk.ResourceClaim, ActionType: fwk.Add | fwk.Update}},
	}
}
