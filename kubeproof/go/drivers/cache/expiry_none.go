// Assumed pods that do not expire (1.36).

package cache

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

const kpExpires = false

func kpFinishBinding(*kpCache, *v1.Pod, time.Time) error { return nil }

func kpExpire(*kpCache, time.Time) {}

func kpBinding(*podState) (interface{}, *time.Time) { return nil, nil }
