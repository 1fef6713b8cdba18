// A new cache with an API dispatcher, of which it has none here (1.34 and 1.35).

package cache

import (
	"context"
	"time"
)

func kpNewCache(ttl time.Duration) *kpCache {
	return newCache(context.Background(), ttl, time.Hour, nil)
}
