// Hint functions from 1.34 on: as before; their types are in k8s.io/kube-scheduler.

package queue

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

func kpHints() Option {
	node := fwk.ClusterEvent{
		Resource:   fwk.Node,
		ActionType: fwk.Add | fwk.UpdateNodeTaint | fwk.UpdateNodeLabel | fwk.UpdateNodeAllocatable,
	}
	pod := fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add | fwk.Update | fwk.Delete}
	hints := QueueingHintMap{}
	register := func(plugin string, hint fwk.QueueingHintFn, events ...fwk.ClusterEvent) {
		for _, event := range events {
			hints[event] = append(hints[event], &QueueingHintFunction{PluginName: plugin, QueueingHintFn: hint})
		}
	}
	answers := func(hint fwk.QueueingHint, err error) fwk.QueueingHintFn {
		return func(klog.Logger, *v1.Pod, interface{}, interface{}) (fwk.QueueingHint, error) { return hint, err }
	}
	queue, skip := answers(fwk.Queue, nil), answers(fwk.QueueSkip, nil)
	fails := answers(fwk.QueueSkip, errors.New("the hint function fails"))
	register("AlwaysQueue", queue, node, pod)
	register("AlwaysSkip", skip, node, pod)
	register("AlwaysImmediate", queue, node, pod)
	register("ErrorHint", fails, node, pod)
	register("OnNodeAdd", queue, fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add})
	register("OnPodDelete", queue, fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete})
	register("OnNodeUpdate", queue, fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint | fwk.UpdateNodeLabel})
	register("OnPodUpdate", queue, fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update})
	register("OnPodLabel", queue, fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodLabel})
	return WithQueueingHintMapPerProfile(QueueingHintMapPerProfile{"": hints})
}
