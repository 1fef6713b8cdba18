// Events up to 1.31: an event has a field Label.

package queue

import (
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

var kpEvents = map[string]framework.ClusterEvent{
	"NodeAdd":               {Resource: framework.Node, ActionType: framework.Add, Label: "NodeAdd"},
	"NodeTaintChange":       {Resource: framework.Node, ActionType: framework.UpdateNodeTaint, Label: "NodeTaintChange"},
	"NodeAllocatableChange": {Resource: framework.Node, ActionType: framework.UpdateNodeAllocatable, Label: "NodeAllocatableChange"},
	"NodeLabelChange":       {Resource: framework.Node, ActionType: framework.UpdateNodeLabel, Label: "NodeLabelChange"},
	"AssignedPodDelete":     {Resource: framework.Pod, ActionType: framework.Delete, Label: "AssignedPodDelete"},
	"AssignedPodUpdate":     {Resource: framework.Pod, ActionType: framework.Update, Label: "AssignedPodUpdate"},
	"PvAdd":                 {Resource: framework.PersistentVolume, ActionType: framework.Add, Label: "PvAdd"},
	"UnschedulableTimeout":  {Resource: framework.WildCard, ActionType: framework.All, Label: "UnschedulableTimeout"},
}

func kpLabel(event framework.ClusterEvent) string { return event.Label }
