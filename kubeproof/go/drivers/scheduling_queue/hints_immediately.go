// Hint functions of 1.28: one of three answers.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpHints() Option {
	node := framework.ClusterEvent{
		Resource:   framework.Node,
		ActionType: framework.Add | framework.UpdateNodeTaint | framework.UpdateNodeLabel | framework.UpdateNodeAllocatable,
	}
	pod := framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Add | framework.Update | framework.Delete}
	hints := QueueingHintMap{}
	register := func(plugin string, hint framework.QueueingHintFn, events ...framework.ClusterEvent) {
		for _, event := range events {
			hints[event] = append(hints[event], &QueueingHintFunction{PluginName: plugin, QueueingHintFn: hint})
		}
	}
	answers := func(hint framework.QueueingHint) framework.QueueingHintFn {
		return func(klog.Logger, *v1.Pod, interface{}, interface{}) framework.QueueingHint { return hint }
	}
	queue, skip := answers(framework.QueueAfterBackoff), answers(framework.QueueSkip)
	register("AlwaysQueue", queue, node, pod)
	register("AlwaysSkip", skip, node, pod)
	register("AlwaysImmediate", answers(framework.QueueImmediately), node, pod)
	register("ErrorHint", skip, node, pod)
	register("OnNodeAdd", queue, framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add})
	register("OnPodDelete", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete})
	register("OnNodeUpdate", queue, framework.ClusterEvent{Resource: framework.Node, ActionType: framework.UpdateNodeTaint | framework.UpdateNodeLabel})
	register("OnPodUpdate", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Update})
	return WithQueueingHintMapPerProfile(QueueingHintMapPerProfile{"": hints})
}
