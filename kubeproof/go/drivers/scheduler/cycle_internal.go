package scheduler

import "context"

func (k *playedScheduler) scheduleOne() { k.sched.scheduleOne(context.Background()) }
