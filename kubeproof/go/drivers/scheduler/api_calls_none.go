package scheduler

// Up to 1.33 each request is made where it is asked for: there is no run of api-calls.

import (
	"reflect"

	v1 "k8s.io/api/core/v1"
)

type playedCalls struct{}

func (*playedCalls) letGo() {}

type observedCalls struct{}

func (*observedCalls) facts() map[string]string { return nil }

func (k *playedScheduler) beginCalls() {
	k.playedRun.t.Fatal("this release has no dispatcher of API calls")
}

func (k *playedScheduler) fitsNowhere() error { return nil }

func (k *playedScheduler) nominator() playedNamed { return nil }

func (k *playedScheduler) means(reflect.Value) {}

func (k *playedScheduler) dispatched(send func(bool) error) error { return send(false) }

func (k *playedScheduler) asksToBind(*playedAttempt) bool { return false }

func (k *playedScheduler) actOfCalls(string, map[string]string) error { return nil }

func (k *playedScheduler) sameForCalls(*v1.Pod, *v1.Pod) bool { return true }

func (k *playedScheduler) observeCalls(*observed) *observedCalls { return nil }
