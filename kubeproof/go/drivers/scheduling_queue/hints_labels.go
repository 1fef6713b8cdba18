// Hint functions from 1.31 to 1.33: as before, and there are events for parts of a pod.

package queue

import (
	"errors"

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
	answers := func(hint framework.QueueingHint, err error) framework.QueueingHintFn {
		return func(klog.Logger, *v1.Pod, interface{}, interface{}) (framework.QueueingHint, error) { return hint, err }
	}
	queue, skip := answers(framework.Queue, nil), answers(framework.QueueSkip, nil)
	fails := answers(framework.QueueSkip, errors.New("the hint function fails"))
	register("AlwaysQueue", queue, node, pod)
	register("AlwaysSkip", skip, node, pod)
	register("AlwaysImmediate", queue, node, pod)
	register("ErrorHint", fails, node, pod)
	register("OnNodeAdd", queue, framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add})
	register("OnPodDelete", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete})
	register("OnNodeUpdate", queue, framework.ClusterEvent{Resource: framework.Node, ActionType: framework.UpdateNodeTaint | framework.UpdateNodeLabel})
	register("OnPodUpdate", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Update})
	register("OnPodLabel", queue, framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodLabel})
	return WithQueueingHintMapPerProfile(QueueingHintMapPerProfile{"": hints})
}
