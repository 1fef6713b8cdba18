package scheduler

import (
	"testing"
	"time"
)

// TestNomLockRace is for `go test -race`: NOM-LOCK-RACE, the scheduler reads a pod's record while it writes to the record.
//
// A pod fits nowhere. The error function has put its record into unschedulableQ and goes on with AddNominatedPod, which
// reads the record. An update of the pod arrives at the same time, and PriorityQueue.Update writes to the record.
//
// The race detector sees a race only if nothing orders the two. So the store has the update before AddNominatedPod asks
// the lister, and the error function is held in its next request, before it calls Done, which takes the queue's lock.
func TestNomLockRace(t *testing.T) {
	if !playedRaces {
		t.Skip("for go test -race")
	}
	scope := playedScope{pods: 1, big: 1, nodes: 1, room: 1, preemption: true, listeners: true}
	k := newPlayedScheduler(t, scope, playedRun{Bug: "NOM-LOCK-RACE", Run: "the race detector", Property: "no data race"})
	k.do("create_pod", "pod", "p1")
	k.do("deliver_pod", "pod", "p1")
	k.do("handle_unassigned")
	k.do("pop", "pod", "p1")
	for _, step := range []string{"schedule", "post_filter", "requeue"} {
		k.do(step, "pod", "p1")
	}
	k.do("update_labels", "pod", "p1")
	k.do("deliver_pod", "pod", "p1")
	if k.stopped != "" {
		t.Fatal(k.stopped)
	}
	a := k.attempts[0]
	k.mu.Lock()
	a.gate, k.moving, k.patches = "", a, make(chan struct{})
	k.mu.Unlock()
	a.goOn <- nil
	// Time enough for AddNominatedPod. A sleep orders nothing.
	time.Sleep(100 * time.Millisecond)
	k.must(k.handle(1))
	close(k.patches)
	k.must(k.settle(a))
}
