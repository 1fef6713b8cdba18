// A new cache under its old name (1.18 to 1.23).

package cache

import "time"

func kpNewCache(ttl time.Duration) *kpCache { return newSchedulerCache(ttl, time.Hour, nil) }
