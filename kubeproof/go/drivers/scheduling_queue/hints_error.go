// Answers of hint functions from 1.29 to 1.33: Queue or QueueSkip, or an error.

package queue

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func kpAnswers(hint framework.QueueingHint, err error) framework.QueueingHintFn {
	return func(klog.Logger, *v1.Pod, interface{}, interface{}) (framework.QueueingHint, error) { return hint, err }
}

func kpOrError() QueueingHintMap {
	queue, skip := kpAnswers(framework.Queue, nil), kpAnswers(framework.QueueSkip, nil)
	return kpRegistered(queue, skip, queue, kpAnswers(framework.QueueSkip, errors.New("the hint function fails")))
}
