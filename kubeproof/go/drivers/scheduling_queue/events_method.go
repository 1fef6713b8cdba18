// Events of 1.32 and 1.33: an event makes its label of its resource and action.

package queue

import (
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

var kpEvents = map[string]framework.ClusterEvent{
	"NodeAdd":               {Resource: framework.Node, ActionType: framework.Add},
	"NodeTaintChange":       {Resource: framework.Node, ActionType: framework.UpdateNodeTaint},
	"NodeAllocatableChange": {Resource: framework.Node, ActionType: framework.UpdateNodeAllocatable},
	"NodeLabelChange":       {Resource: framework.Node, ActionType: framework.UpdateNodeLabel},
	"AssignedPodDelete":     framework.EventAssignedPodDelete,
	"AssignedPodUpdate":     framework.EventAssignedPodUpdate,
	"PvAdd":                 {Resource: framework.PersistentVolume, ActionType: framework.Add},
	"UnschedulableTimeout":  framework.EventUnschedulableTimeout,
}

func kpLabel(event framework.ClusterEvent) string { return event.Label() }
