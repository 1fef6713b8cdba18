package queue

import (
	"encoding/json"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// TestQueueDeleteLeavesCopy is QUEUE-DELETE-LEAVES-COPY: an update of a pod changes two properties. The event of the first
// sends the pod to the backoff queue, that of the second leaves the pod in unschedulablePods too. Then the pod is deleted.
func TestQueueDeleteLeavesCopy(t *testing.T) {
	r := &playedRun{
		Bug: "QUEUE-DELETE-LEAVES-COPY", Run: "SchedulerPopFromBackoffQ off", Property: "a deleted pod is in no queue", t: t,
	}
	metrics.Register()
	made, err := kpNewCase(json.RawMessage(`{"queueing_hints": true, "pop_from_backoff_q": false}`))
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*kpQueueCase)
	for _, op := range []string{
		`{"op": "add", "pod": {"uid": "p1#1", "cpu_milli": 30}}`,
		`{"op": "pop"}`,
		`{"op": "add_unschedulable", "pod": {"uid": "p1#1", "cpu_milli": 30}, "cycle": 1, "unschedulable_plugins": ["OnPodLabel"]}`,
		`{"op": "update", "old": {"uid": "p1#1", "cpu_milli": 30}, "new": {"uid": "p1#1", "cpu_milli": 20, "labels": {"app": "a"}}}`,
		`{"op": "delete", "pod": {"uid": "p1#1", "cpu_milli": 20, "labels": {"app": "a"}}}`,
	} {
		seen, next := c.play(json.RawMessage(op))
		if next != kpGoOn || seen["error"] != nil {
			t.Fatalf("%s: %v, %v", op, next, seen["error"])
		}
		r.taken++
		t.Logf("%s: active %v, backoff %v, unschedulable %v", op, seen["active"], seen["backoff"], seen["unschedulable"])
	}
	r.Actions = r.taken
	if c.waiting("p1") != nil {
		r.atEnd("p1 is deleted, and the queue still has it")
	}
	r.report()
}
