// Which plugin has which hint function, up to 1.33.

package queue

import "k8s.io/kubernetes/pkg/scheduler/framework"

func kpRegister(hints QueueingHintMap, plugin string, hint framework.QueueingHintFn, events ...framework.ClusterEvent) {
	for _, event := range events {
		hints[event] = append(hints[event], &QueueingHintFunction{PluginName: plugin, QueueingHintFn: hint})
	}
}

func kpRegistered(queue, skip, immediate, fails framework.QueueingHintFn) QueueingHintMap {
	node := framework.ClusterEvent{
		Resource:   framework.Node,
		ActionType: framework.Add | framework.UpdateNodeTaint | framework.UpdateNodeLabel | framework.UpdateNodeAllocatable,
	}
	pod := framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Add | framework.Update | framework.Delete}
	hints := QueueingHintMap{}
	kpRegister(hints, "AlwaysQueue", queue, node, pod)
	kpRegister(hints, "AlwaysSkip", skip, node, pod)
	kpRegister(hints, "AlwaysImmediate", immediate, node, pod)
	kpRegister(hints, "ErrorHint", fails, node, pod)
	kpRegister(hints, "OnNodeAdd", queue, framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add})
	kpRegister(hints, "OnPodDelete", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete})
	kpRegister(hints, "OnNodeUpdate", queue, framework.ClusterEvent{Resource: framework.Node, ActionType: framework.UpdateNodeTaint | framework.UpdateNodeLabel})
	kpRegister(hints, "OnPodUpdate", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Update})
	return hints
}

func kpWithHints(hints QueueingHintMap) Option {
	return WithQueueingHintMapPerProfile(QueueingHintMapPerProfile{"": hints})
}
