package scheduler

// Up to 1.31 a pod preempts within its cycle: there is no run of async-preemption.

import "context"

type playedPreemptions struct{}

func (*playedPreemptions) letGo() {}

type observedPreemption struct{}

func (*observedPreemption) facts() map[string]string { return nil }

func (k *playedScheduler) beginPreemption() {
	k.playedRun.t.Fatal("a pod of this release preempts within its cycle")
}

func (k *playedScheduler) preemptionsStand() bool { return true }

func (k *playedScheduler) actOfPreemption(string, map[string]string) error { return nil }

func (k *playedScheduler) observePreemption() *observedPreemption { return nil }

func (k *playedScheduler) request(_ context.Context, _ string, send func() error) error {
	return send()
}
