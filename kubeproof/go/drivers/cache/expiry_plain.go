// Assumed pods that expire, without a logger (up to 1.27).

package cache

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

const kpExpires = true

func kpFinishBinding(c *kpCache, p *v1.Pod, now time.Time) error { return c.finishBinding(p, now) }

func kpExpire(c *kpCache, now time.Time) { c.cleanupAssumedPods(now) }

func kpBinding(state *podState) (interface{}, *time.Time) {
	return state.bindingFinished, state.deadline
}
