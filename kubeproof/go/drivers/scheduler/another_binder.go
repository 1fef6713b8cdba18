package scheduler

import "testing"

// TestNomClearOvertakenAnotherBinder plays NOM-CLEAR-OVERTAKEN where another scheduler binds a pod: after p1 was nominated
// to n1, and before the update of its nomination arrives, the informer tells of p2, which is as important as p1 and fills
// n1. The second attempt of p1 clears the nomination in memory, the late update brings it back, and nobody tries p1 again.
func TestNomClearOvertakenAnotherBinder(t *testing.T) {
	scope := playedScope{pods: 3, high: 2, nodes: 1, room: 1, preemption: true}
	steps := []struct{ name, pod, node string }{
		{"create_pod", "p3", ""},
		{"create_pod", "p1", ""},
		{"create_pod", "p2", ""},
		{"bind_elsewhere", "p2", "n1"},
		{"deliver_pod", "p3", ""},
		{"pop", "p3", ""},
		{"deliver_pod", "p1", ""},
		{"deliver_pod", "p2", ""},
		{"schedule", "p3", ""},
		{"assume", "p3", "n1"},
		{"pop", "p1", ""},
		{"schedule", "p1", ""},
		{"deliver_pod", "p2", ""},
		{"bind", "p3", "n1"},
		{"deliver_pod", "p3", ""},
		{"post_filter", "p1", "n1"},
		{"deliver_pod", "p3", ""},
		{"requeue", "p1", ""},
		{"add_nominated_pod", "p1", ""},
		{"pop", "p1", ""},
		{"schedule", "p1", ""},
		{"post_filter", "p1", ""},
		{"requeue", "p1", ""},
		{"add_nominated_pod", "p1", ""},
		{"deliver_pod", "p1", ""},
	}
	k := newPlayedScheduler(t, scope, playedRun{
		Bug: "NOM-CLEAR-OVERTAKEN", Run: "another binder", Property: "nomination-can-come-true", Actions: len(steps),
	})
	k.mustHold(nominationCanComeTrue)
	for _, step := range steps {
		if step.node == "" {
			k.do(step.name, "pod", step.pod)
		} else {
			k.do(step.name, "pod", step.pod, "node", step.node)
		}
	}
}
