package queue

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// playedHolder is a plugin at PreEnqueue that says as DefaultPreemption does while a pod is in `preempting`.
type playedHolder struct{ holds bool }

func (p *playedHolder) Name() string { return "DefaultPreemption" }

func (p *playedHolder) PreEnqueue(context.Context, *v1.Pod) *fwk.Status {
	if p.holds {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "waiting for the preemption for this pod to be finished")
	}
	return nil
}

// TestQueueFlushSkipsGated is QUEUE-FLUSH-SKIPS-GATED: a plugin at PreEnqueue has held a pod back, and lets it pass by now.
// The plugin waits for deletions of pods, and there is none any more. The flush has to try the pod.
func TestQueueFlushSkipsGated(t *testing.T) {
	r := &playedRun{Bug: "QUEUE-FLUSH-SKIPS-GATED", Run: "a plugin at PreEnqueue", Property: "the flush tries the pod", t: t}
	metrics.Register()
	made, err := kpNewCase(json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*kpQueueCase)
	holder := &playedHolder{}
	// The type of a plugin is another one in each release.
	plugins := reflect.ValueOf(&c.PriorityQueue.preEnqueuePluginMap).Elem()
	profile := reflect.MakeMap(plugins.Type().Elem())
	profile.SetMapIndex(reflect.ValueOf(holder.Name()), reflect.ValueOf(holder))
	all := reflect.MakeMap(plugins.Type())
	all.SetMapIndex(reflect.ValueOf(""), profile)
	plugins.Set(all)
	deleted := fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}
	c.PriorityQueue.pluginToEventsMap = map[string][]fwk.ClusterEvent{holder.Name(): {deleted}}

	play := func(op string) {
		t.Helper()
		seen, next := c.play(json.RawMessage(op))
		if next != kpGoOn || seen["error"] != nil {
			t.Fatalf("%s: %v, %v", op, next, seen["error"])
		}
		r.taken++
		t.Logf("%s: active %v, unschedulable %v", op, seen["active"], seen["unschedulable"])
	}
	waits := func() bool { return len(kpUnschedulable(c.PriorityQueue)) > 0 }
	play(`{"op": "add", "pod": {"uid": "p1#1"}}`)
	play(`{"op": "pop"}`)
	play(`{"op": "add_unschedulable", "pod": {"uid": "p1#1"}, "cycle": 1, "unschedulable_plugins": ["OnPodDelete"]}`)
	holder.holds = true
	play(`{"op": "move_all", "event": "AssignedPodDelete"}`)
	if !waits() {
		t.Fatal("the plugin at PreEnqueue does not hold the pod back")
	}
	holder.holds = false
	for i := 0; i < 2; i++ {
		c.clock.now = c.clock.now.Add(10 * time.Minute)
		play(`{"op": "flush_unschedulable"}`)
	}
	r.Actions = r.taken
	if waits() {
		r.atEnd("p1 is in unschedulablePods after two flushes, though nothing holds it back")
	}
	r.report()
	play(`{"op": "move_all", "event": "AssignedPodDelete"}`)
	if waits() {
		t.Error("the deletion of another pod does not move the pod either")
	}
}
