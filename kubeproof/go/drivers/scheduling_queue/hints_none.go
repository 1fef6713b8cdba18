// What plugins register in 1.22: events, without a function.

package queue

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpHints() Option {
	node := framework.ClusterEvent{
		Resource:   framework.Node,
		ActionType: framework.Add | framework.UpdateNodeTaint | framework.UpdateNodeLabel | framework.UpdateNodeAllocatable,
	}
	pod := framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Add | framework.Update | framework.Delete}
	return WithClusterEventMap(map[framework.ClusterEvent]sets.String{
		node: sets.NewString("AlwaysQueue", "AlwaysSkip", "AlwaysImmediate", "ErrorHint"),
		pod:  sets.NewString("AlwaysQueue", "AlwaysSkip", "AlwaysImmediate", "ErrorHint"),
		{Resource: framework.Node, ActionType: framework.Add}:                                         sets.NewString("OnNodeAdd"),
		{Resource: framework.Pod, ActionType: framework.Delete}:                                       sets.NewString("OnPodDelete"),
		{Resource: framework.Node, ActionType: framework.UpdateNodeTaint | framework.UpdateNodeLabel}: sets.NewString("OnNodeUpdate"),
		{Resource: framework.Pod, ActionType: framework.Update}:                                       sets.NewString("OnPodUpdate"),
	})
}
