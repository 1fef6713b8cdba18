package scheduler

// What a state of a run of async-preemption is.

import (
	"container/list"
	"fmt"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

const (
	playedWaitsAtPermit = "waits at Permit"
	playedGone          = "is gone"
	playedActionDelete  = 1 << 1
)

// observedVictim is a victim: what is so, what the informer's store has, and what the scheduler's cache has.
type observedVictim struct {
	name, is, listed, known string
	// Whether nobody has asked the pod to go.
	stays bool
}

// observedOfPreemption is a goroutine that deletes victims. last: whether it is at the last victim.
type observedOfPreemption struct {
	text string
	last bool
	// Whether its last step is before it.
	ends bool
}

// observedPreemption is what a state of async-preemption has.
type observedPreemption struct {
	victims []observedVictim
	// What the informer sends, in order, as long as the handlers have not heard.
	onTheWay []string
	// Where the preemptor is, and whether an event for it came while it is being scheduled.
	place string
	noted bool
	// Whether PreEnqueue holds the preemptor back; whether it waits.
	gated, waits bool
	// Whether the preemptor is in `preempting`, and its last victim.
	running    bool
	lastVictim string
	goroutines []observedOfPreemption
	// How often somebody else deleted a victim, and how many requests have failed.
	deletions, failures int
}

func (k *playedScheduler) observePreemption() *observedPreemption {
	if k.scope.victims == 0 {
		return nil
	}
	o := &observedPreemption{deletions: k.used["delete_pod"], failures: k.preemptions.failures}
	for at := 1; at <= k.scope.victims; at++ {
		o.victims = append(o.victims, k.observeVictim(fmt.Sprintf("v%d", at)))
	}
	for _, change := range k.backlog[0] {
		pod, gone := change.new, change.new == nil
		if gone {
			pod = change.old
		}
		o.onTheWay = append(o.onTheWay, playedHeard(pod, gone)+" (in the store)")
	}
	for _, event := range k.podWatch {
		o.onTheWay = append(o.onTheWay, playedHeard(event.pod, event.kind == "delete"))
	}
	k.observePreemptor(o)
	preempting := reflect.ValueOf(playedField(k.preemptions.keeper, "preempting"))
	preemptor := reflect.ValueOf(types.UID(playedPreemptor))
	o.running = preempting.MapIndex(preemptor).IsValid()
	// Up to 1.34 nothing is written down of the last victim.
	if of := reflect.ValueOf(k.preemptions.keeper).Elem().FieldByName("lastVictimsPendingPreemption"); of.IsValid() {
		if victim := of.MapIndex(preemptor); victim.IsValid() {
			o.lastVictim = victim.FieldByName("name").String()
		}
	}
	for _, p := range k.preemptions.running {
		o.goroutines = append(o.goroutines, p.observed(k.scope.goneFails))
	}
	return o
}

func (k *playedScheduler) observeVictim(name string) observedVictim {
	o := observedVictim{name: name, is: playedPhase(k.pods[name]), listed: playedPhase(k.known(name)), known: playedGone}
	states := reflect.ValueOf(playedField(k.cache(), "podStates"))
	if state := states.MapIndex(reflect.ValueOf(name)); state.IsValid() {
		o.known = playedPhase(playedField(state.Interface(), "pod").(*v1.Pod))
		if playedHas(k.cache(), "assumedPods", name) {
			o.known = playedWaitsAtPermit
		}
	}
	if pod := k.pods[name]; pod != nil && pod.Spec.NodeName == "" {
		// The store of the informer has a pod without a node: it does not know that the pod waits no more.
		switch waiting := k.waitingFor(types.UID(name)); {
		case waiting == nil:
			o.is = "waits for a node again"
		case playedSent(waiting) != "":
			o.is = "rejected at Permit"
		}
	}
	pod := k.pods[name]
	o.stays = pod != nil && pod.DeletionTimestamp == nil && (pod.Spec.NodeName != "" || o.is == playedWaitsAtPermit)
	return o
}

// playedPhase is what an object says of the pod.
func playedPhase(pod *v1.Pod) string {
	switch {
	case pod == nil:
		return playedGone
	case pod.Spec.NodeName == "":
		return playedWaitsAtPermit
	case pod.DeletionTimestamp == nil && playedIsTarget(pod):
		return "runs, with the condition DisruptionTarget"
	case pod.DeletionTimestamp == nil:
		return "runs"
	case playedIsTarget(pod):
		return "terminates, with the condition DisruptionTarget"
	}
	return "terminates, without the condition DisruptionTarget"
}

// playedHeard is what an event says.
func playedHeard(pod *v1.Pod, gone bool) string {
	switch {
	case gone:
		return pod.Name + " is gone"
	case pod.DeletionTimestamp != nil:
		return pod.Name + " terminates"
	}
	return pod.Name + " has the condition DisruptionTarget"
}

// observePreemptor says where the preemptor is, by the queue.
func (k *playedScheduler) observePreemptor(o *observedPreemption) {
	active, backoff, unschedulable := k.queued()
	for _, pod := range append(active, backoff...) {
		if pod.name == playedPreemptor {
			o.place = "in activeQ"
		}
	}
	for _, pod := range unschedulable {
		if pod.name == playedPreemptor {
			o.place, o.waits, o.gated = "in unschedulablePods", true, k.isGated(pod.name)
		}
	}
	switch pod := k.pods[playedPreemptor]; {
	case k.attemptOf(playedPreemptor) != nil:
		o.place, o.noted = "being scheduled", k.wasNoted()
	case o.gated:
		o.place += ", held back by PreEnqueue"
	case pod != nil && pod.Spec.NodeName != "":
		o.place = "bound"
	}
}

// isGated says whether PreEnqueue has rejected the pod in unschedulablePods.
func (k *playedScheduler) isGated(name string) bool {
	infos := playedField(playedField(k.queue(), "unschedulablePods"), "podInfoMap").(map[string]*playedQueuedPod)
	for _, info := range infos {
		if info.Pod.Name != name {
			continue
		}
		of := reflect.ValueOf(info).Elem()
		if plugin := of.FieldByName("GatingPlugin"); plugin.IsValid() {
			return plugin.String() != ""
		}
		return of.FieldByName("Gated").Bool()
	}
	return false
}

// wasNoted says whether the queue has kept an event for the preemptor, which is in flight: a pod with a node is gone, or
// the preemptor was activated.
func (k *playedScheduler) wasNoted() bool {
	since := false
	events := playedField(k.inFlight(), "inFlightEvents").(*list.List)
	for each := events.Front(); each != nil; each = each.Next() {
		if pod, is := each.Value.(*v1.Pod); is {
			since = since || pod.Name == playedPreemptor
			continue
		}
		event := reflect.ValueOf(playedField(each.Value, "event"))
		kind, action := event.FieldByName("Resource").String(), event.FieldByName("ActionType").Int()
		gone := strings.HasSuffix(kind, "Pod") && action == playedActionDelete
		if since && (gone || kind == "*") {
			return true
		}
	}
	return false
}

// observed says how far the goroutine is.
func (p *playedPreemption) observed(goneFails bool) observedOfPreemption {
	o := observedOfPreemption{ends: p.leftOut}
	asked := map[string]bool{}
	failed, there := p.ctx != nil && p.ctx.Err() != nil, false
	var known []string
	for _, victim := range p.victims {
		if playedIsTarget(victim) {
			known = append(known, victim.Name)
		}
	}
	for _, call := range p.calls {
		o.last = o.last || call.last
		if call.patched {
			known = append(known, call.victim)
		}
		if call.over {
			asked[call.victim] = true
			// What Go makes of an error in a call that is held shows when the call goes on.
			failed = failed || call.err != nil && (goneFails || !apierrors.IsNotFound(call.err))
			there = there || !call.gone || failed
			o.ends = o.ends || call.last
		}
	}
	var still []string
	for at, victim := range p.victims {
		if !asked[victim.Name] && (!o.last || at == len(p.victims)-1) {
			still = append(still, victim.Name)
		}
	}
	parts := []string{"has its last step before it"}
	if !o.ends {
		parts[0] = "still has to ask for " + strings.Join(still, ", ")
		if len(still) == 0 {
			parts[0] += "nobody"
		}
		if o.last {
			parts = append(parts, "is at the last victim")
		}
	}
	if len(known) > 0 {
		sort.Strings(known)
		parts = append(parts, "knows the condition of "+strings.Join(known, ", "))
	}
	if failed {
		parts = append(parts, "a request failed")
	}
	if there {
		parts = append(parts, "some victim was there")
	}
	o.text = strings.Join(parts, "; ")
	return o
}

// facts says the state in the words of the run.
func (o *observedPreemption) facts() map[string]string {
	facts := map[string]string{}
	for _, victim := range o.victims {
		facts[victim.name] = victim.is
		if victim.listed != victim.is {
			facts[victim.name+" in the informer's store"] = victim.listed
		}
		if victim.known != victim.is {
			facts[victim.name+" in the scheduler's cache"] = victim.known
		}
	}
	if len(o.onTheWay) > 0 {
		facts["events on the way"] = strings.Join(o.onTheWay, ", ")
	}
	facts["preemptor"] = o.place
	if o.noted {
		facts["preemptor"] += ", and an event came meanwhile"
	}
	if o.running {
		facts["`preempting`"] = "has the preemptor"
		if o.lastVictim != "" {
			facts["`preempting`"] += ", whose last victim is " + o.lastVictim
		}
	}
	for at, each := range o.goroutines {
		facts[fmt.Sprintf("preemption %d", at+1)] = each.text
	}
	for subject, times := range map[string]int{"deletions by others": o.deletions, "failed requests": o.failures} {
		if times > 0 {
			facts[subject] = fmt.Sprint(times)
		}
	}
	return facts
}

// roomIsFree says whether nobody has the node any more, the scheduler knows that, and nothing is under way.
func (o *observedPreemption) roomIsFree() bool {
	for _, victim := range o.victims {
		if victim.known != playedGone {
			return false
		}
	}
	return len(o.goroutines) == 0 && len(o.onTheWay) == 0
}
