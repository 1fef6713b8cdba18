// Hint functions of 1.28: one of three answers.

package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpHints() Option {
	answers := func(hint framework.QueueingHint) framework.QueueingHintFn {
		return func(klog.Logger, *v1.Pod, interface{}, interface{}) framework.QueueingHint { return hint }
	}
	queue, skip := answers(framework.QueueAfterBackoff), answers(framework.QueueSkip)
	return kpWithHints(kpRegistered(queue, skip, answers(framework.QueueImmediately), skip))
}
