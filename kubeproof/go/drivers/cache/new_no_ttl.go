// A new cache in which no assumed pod expires (1.36), without an API dispatcher and without workloads.

package cache

import (
	"context"
	"time"
)

func kpNewCache(time.Duration) *kpCache {
	return newCache(context.Background(), time.Hour, nil, false)
}
