// Events from 1.34 on: their types are in k8s.io/kube-scheduler.

package queue

import (
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

var kpEvents = map[string]fwk.ClusterEvent{
	"NodeAdd":               {Resource: fwk.Node, ActionType: fwk.Add},
	"NodeTaintChange":       {Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint},
	"NodeAllocatableChange": {Resource: fwk.Node, ActionType: fwk.UpdateNodeAllocatable},
	"NodeLabelChange":       {Resource: fwk.Node, ActionType: fwk.UpdateNodeLabel},
	"AssignedPodDelete":     framework.EventAssignedPodDelete,
	"AssignedPodUpdate":     framework.EventAssignedPodUpdate,
	"PvAdd":                 {Resource: fwk.PersistentVolume, ActionType: fwk.Add},
	"UnschedulableTimeout":  framework.EventUnschedulableTimeout,
}

func kpLabel(event fwk.ClusterEvent) string { return event.Label() }
