// Assumed pods that expire, with a logger (1.28 to 1.35).

package cache

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

const kpExpires = true

func kpFinishBinding(c *kpCache, p *v1.Pod, now time.Time) error {
	return c.finishBinding(kpLogger, p, now)
}

func kpExpire(c *kpCache, now time.Time) { c.cleanupAssumedPods(kpLogger, now) }

func kpBinding(state *podState) (interface{}, *time.Time) {
	return state.bindingFinished, state.deadline
}
