package scheduler

func (k *playedScheduler) scheduleOne() { k.sched.scheduleOne() }
