package scheduler

// Bugs of what the scheduler does with an extender's answer. Each answer goes over HTTP to the scheduler's own extender
// client, and the attempt is one of the whole scheduler. No run of a system has these: their pages show them on the
// components.

import (
	"fmt"
	"testing"
)

// playedAnswered is an attempt that is played up to a step, with an extender that answers as the scope says.
func playedAnswered(t *testing.T, bug, run, property string, scope playedScope, steps ...[]string) *playedScheduler {
	k := newPlayedScheduler(t, scope, playedRun{Bug: bug, Run: run, Property: property, Actions: len(steps)})
	for _, step := range steps {
		k.do(step[0], step[1:]...)
	}
	return k
}

// playedSearched are the steps of one pod, as far as the search.
func playedSearched(pod string) [][]string {
	return [][]string{{"create_pod", "pod", pod}, {"deliver_pod"}, {"pop", "pod", pod}, {"schedule", "pod", pod}}
}

// TestExtFilterWidens is EXT-FILTER-WIDENS: a plugin refuses n2, which is cordoned. The extender is asked about n1, and
// answers with n2 as a whole Node object.
func TestExtFilterWidens(t *testing.T) {
	scope := playedScope{pods: 1, nodes: 2, room: 1, answers: map[string]string{
		"filter": `{"nodes": {"items": [{"metadata": {"name": "n2"}}]}}`,
	}}
	steps := append([][]string{{"cordon_node", "node", "n2"}, {"deliver_node"}}, playedSearched("p1")...)
	steps = append(steps, []string{"assume", "pod", "p1", "node", "n2"})
	k := playedAnswered(t, "EXT-FILTER-WIDENS", "a whole Node object", "an extender only takes nodes away", scope, steps...)
	for _, cached := range k.observe().cached {
		if cached.pod.node == "n2" {
			k.atEnd("p1 is assumed on n2, which a plugin refused, and of which the extender was not asked")
		}
	}
}

// TestExtPreemptCrash is EXT-PREEMPT-CRASH: the extender is asked about a node, and its answer has null for this node.
func TestExtPreemptCrash(t *testing.T) {
	scope := playedScope{pods: 2, high: 1, nodes: 1, room: 1, boundAtStart: 1, preemption: true, answers: map[string]string{
		"preempt": `{"nodeNameToMetaVictims": {"n1": null}}`,
	}}
	steps := append(playedSearched("p1"), []string{"post_filter", "pod", "p1"})
	k := playedAnswered(t, "EXT-PREEMPT-CRASH", "null for a node", "no answer ends the scheduler's process", scope, steps...)
	if k.crashed != "" {
		k.atEnd(fmt.Sprintf("the scheduler's process ends: %s", k.crashed))
	}
}

// TestExtPreemptUnchecked is EXT-PREEMPT-UNCHECKED: p2 may evict p3 on n1. The extender answers with p1 on n2, which is
// more important than p2.
func TestExtPreemptUnchecked(t *testing.T) {
	scope := playedScope{
		pods: 3, high: 2, top: 1, nodes: 2, room: 1, boundAtStart: 1, preemption: true, graceful: true,
		answers: map[string]string{"preempt": `{"nodeNameToMetaVictims": {"n2": {"pods": [{"uid": "p1#1"}]}}}`},
	}
	steps := [][]string{{"create_pod", "pod", "p1"}, {"bind_elsewhere", "pod", "p1", "node", "n2"}, {"deliver_pod"}, {"deliver_pod"}}
	steps = append(steps, playedSearched("p2")...)
	steps = append(steps, []string{"post_filter", "pod", "p2"})
	k := playedAnswered(t, "EXT-PREEMPT-UNCHECKED", "a more important victim", "no more important pod is evicted", scope, steps...)
	for a := k.attemptOf("p2"); a != nil && a.gate != ""; a = k.attemptOf("p2") {
		k.do(a.gate, "pod", "p2")
	}
	if pod := k.pods["p1"]; pod == nil || pod.DeletionTimestamp != nil {
		k.atEnd("p1 is evicted for p2, which is less important")
	}
}

// TestScoreExtenderOverflow is SCORE-EXTENDER-OVERFLOW: the extender likes n1 best, and its weight is to let it decide alone.
func TestScoreExtenderOverflow(t *testing.T) {
	scope := playedScope{pods: 1, nodes: 2, room: 1, weight: 92233720368547759, answers: map[string]string{
		"prioritize": `[{"host": "n1", "score": 10}, {"host": "n2", "score": 0}]`,
	}}
	k := playedAnswered(t, "SCORE-EXTENDER-OVERFLOW", "a large weight", "the node with the best score is chosen", scope, playedSearched("p1")...)
	if a := k.attemptOf("p1"); a != nil && a.node != "n1" {
		k.atEnd(fmt.Sprintf("the extender likes n1 best, and %s is chosen", a.node))
	}
}
