package scheduler

import (
	"reflect"
	"strings"
)

// hold puts the gates around the functions of the scheduler, which are in its fields (1.26 and later).
func (k *playedScheduler) hold() {
	k.sched.SchedulingQueue = &playedQueue{k.sched.SchedulingQueue, k}
	for name, profile := range k.sched.Profiles {
		k.sched.Profiles[name] = &playedFramework{profile, k}
	}
	playedAround(&k.sched.NextPod, nil, func(values []reflect.Value) {
		if info, _ := values[0].Interface().(*playedQueuedPod); info != nil {
			k.popped(info.Pod)
		}
	})
	playedAround(&k.sched.SchedulePod, nil, func(values []reflect.Value) {
		err, _ := values[1].Interface().(error)
		result := values[0].Interface().(ScheduleResult)
		if fails := k.fails(); fails != nil {
			values[0], values[1] = reflect.ValueOf(ScheduleResult{}), reflect.ValueOf(&fails).Elem()
			return
		}
		if err != nil {
			k.unplaced(err)
			return
		}
		result.SuggestedHost = k.scheduled(result.SuggestedHost, result.FeasibleNodes)
		values[0] = reflect.ValueOf(result)
	})
	playedAround(&k.sched.FailureHandler, func(values []reflect.Value) {
		for _, value := range values {
			if strings.HasSuffix(value.Type().String(), ".NominatingInfo") && !value.IsNil() {
				k.nominates(value.Elem().FieldByName("NominatedNodeName").String())
				k.means(value.Elem())
			}
		}
		k.note(func(a *playedAttempt) { a.failing = true })
		k.gate("requeue")
	}, func([]reflect.Value) {
		k.failed()
		moves := false
		k.note(func(a *playedAttempt) { moves = a.movesOthers })
		if moves {
			k.gate("move_others_after_forget")
		}
	})
}

func (k *playedScheduler) cache() interface{} { return k.sched.Cache }

// snapshot is that of the last scheduling cycle.
func (k *playedScheduler) snapshot() interface{} {
	return k.sched.nodeInfoSnapshot
}
