package scheduler

// Up to 1.27 the queue does not know which pods are in flight.

import (
	"errors"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

func (k *playedScheduler) switchHints() error {
	if !k.scope.hints {
		return nil
	}
	return errors.New("this release has no gate SchedulerQueueingHints")
}

func (k *playedScheduler) hintsPlugins() *schedulerapi.Plugins { return nil }
