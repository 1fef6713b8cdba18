package scheduler

import "context"

func (k *playedScheduler) scheduleOne() { k.sched.ScheduleOne(context.Background()) }
