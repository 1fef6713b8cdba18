// A new cache with a channel that stops it (1.24 to 1.27).

package cache

import "time"

func kpNewCache(ttl time.Duration) *kpCache { return newCache(ttl, time.Hour, nil) }
