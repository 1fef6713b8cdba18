// A new cache with a context (1.28 to 1.33).

package cache

import (
	"context"
	"time"
)

func kpNewCache(ttl time.Duration) *kpCache {
	return newCache(context.Background(), ttl, time.Hour)
}
