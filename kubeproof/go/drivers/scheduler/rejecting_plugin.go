package scheduler

// A plugin that rejects pods (1.28 and later). The files beside this one have the types of the plugin's events.

import (
	"context"

	v1 "k8s.io/api/core/v1"
)

// playedRejecting rejects every pod while its condition does not hold, and waits for the event that tells of a change. For
// each such event a try is worth it. The plugin of the claims holds pods back before they are queued, too.
type playedRejecting struct {
	k    *playedScheduler
	name string
}

func playedRejector(k *playedScheduler, name string) interface{} { return &playedRejecting{k, name} }

func (p *playedRejecting) Name() string { return playedPlugin + p.name }

func (p *playedRejecting) Filter(context.Context, playedCycleState, *v1.Pod, playedAskedNode) *playedStatus {
	if p.k.accepts(p.name) {
		return nil
	}
	return playedUnschedulable()
}

func (p *playedRejecting) PreEnqueue(context.Context, *v1.Pod) *playedStatus {
	if p.k.accepts(p.name) {
		return nil
	}
	return playedUnresolvable()
}

func (p *playedRejecting) waits() []playedEventWithHint {
	var found []playedEventWithHint
	for _, event := range playedAwaited()[p.name] {
		found = append(found, playedEventWithHint{Event: event})
	}
	return found
}
