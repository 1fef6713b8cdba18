package scheduler

// What a state of a run of api-calls is.

import (
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// observedVersion is the pod as somebody has it.
type observedVersion struct{ nominated, condition, node string }

// observedCalls is what a state of api-calls has.
type observedCalls struct {
	// The pod at the API server, and as the handlers know it; what the informer sends.
	api, known observedVersion
	onTheWay   []string
	// Where the pod is, and where it is nominated in memory.
	place, memory string
	// The call in flight, and the one that waits; "" for none.
	inFlight, waits string
	toldEarly       bool
	// Which node the scheduler wanted last that the status names.
	meant string
	// Whether nothing is under way.
	quiet bool
}

func observedVersionOf(pod *v1.Pod) observedVersion {
	return observedVersion{pod.Status.NominatedNodeName, playedScheduled(&pod.Status), pod.Spec.NodeName}
}

// playedScheduled is the condition PodScheduled: "", "True", or the reason why it is False.
func playedScheduled(status *v1.PodStatus) string {
	for _, each := range status.Conditions {
		switch {
		case each.Type != v1.PodScheduled:
		case each.Status == v1.ConditionTrue:
			return "True"
		default:
			return each.Reason
		}
	}
	return ""
}

func (v observedVersion) says() string {
	nominated, condition := "names no node", "PodScheduled is False ("+v.condition+")"
	if v.nominated != "" {
		nominated = "is nominated to " + v.nominated
	}
	switch v.condition {
	case "":
		condition = "without the condition PodScheduled"
	case "True":
		condition = "PodScheduled is True"
	}
	return nominated + ", " + condition
}

func (v observedVersion) text() string {
	if v.node == "" {
		return v.says()
	}
	return v.says() + ", and is bound to " + v.node
}

// sameForCalls says whether an event may be left out, which tells of a message only.
func (k *playedScheduler) sameForCalls(one, other *v1.Pod) bool {
	return !k.scope.calls || observedVersionOf(one) == observedVersionOf(other)
}

func (k *playedScheduler) observeCalls(s *observed) *observedCalls {
	if !k.scope.calls {
		return nil
	}
	o := &observedCalls{toldEarly: k.calls.toldEarly, meant: k.calls.meant, api: observedVersionOf(k.pods[playedCaller])}
	if pod := k.known(playedCaller); pod != nil {
		o.known = observedVersionOf(pod)
	}
	for _, event := range k.podWatch {
		o.onTheWay = append(o.onTheWay, observedVersionOf(event.pod).text())
	}
	for _, each := range s.nominated {
		o.memory = each.node
	}
	late := false
	for _, a := range k.attempts {
		switch a.gate {
		case "schedule":
			o.place = "being scheduled"
		case "recover_from_binding":
			o.place = "assumed, and its Binding was refused"
		case "patch_after_binding":
			late = true
		default:
			o.place = "assumed, and its Binding is asked for"
		}
	}
	if o.place == "" {
		o.place = "bound, as the scheduler knows it"
		if len(s.active)+len(s.backoff)+len(s.unschedule) > 0 {
			o.place = "in the queue"
		}
	}
	if k.calls.inFlight != nil {
		done := map[string]string{"": "", "done": ", and was done", "refused": ", and was refused"}[k.calls.answered]
		o.inFlight = observedCall(k.calls.inFlight, done)
	}
	if waits := k.trackedCall(); waits != nil && waits != k.calls.inFlight {
		o.waits = observedCall(waits, "")
	}
	o.quiet = !late && len(k.podWatch) == 0 && o.inFlight == "" && o.waits == "" && (o.place == "in the queue" || strings.HasPrefix(o.place, "bound"))
	return o
}

// observedCall says what a *queuedAPICall asks for, and what it is computed from.
func observedCall(queued interface{}, done string) string {
	number := playedPlace(queued, []string{"callID"}).Int()
	call := playedField(queued, "APICall")
	if binding := reflect.ValueOf(call).Elem().FieldByName("binding"); binding.IsValid() {
		return fmt.Sprintf("the Binding to %s%s (call %d)", playedField(call, "binding").(*v1.Binding).Target.Name, done, number)
	}
	from := observedVersion{}
	var parts []string
	status := playedField(call, "podStatus").(*v1.PodStatus)
	from.nominated, from.condition = status.NominatedNodeName, playedScheduled(status)
	if info := reflect.ValueOf(playedField(call, "nominatingInfo")); !info.IsNil() && info.Elem().FieldByName("NominatingMode").Int() == int64(playedOverride) {
		if node := info.Elem().FieldByName("NominatedNodeName").String(); node != from.nominated {
			if node == "" {
				node = "cleared"
			}
			parts = append(parts, "nominatedNodeName "+node)
		}
	}
	if condition := playedField(call, "newCondition").(*v1.PodCondition); condition != nil && condition.Reason != from.condition {
		parts = append(parts, "PodScheduled False ("+condition.Reason+")")
	}
	what := "the PATCH " + strings.Join(parts, ", ")
	if len(parts) == 0 {
		what = "a PATCH that changes nothing"
	}
	return fmt.Sprintf("%s%s, computed from a pod that %s (call %d)", what, done, from.says(), number)
}

// facts says the state in the words of the run.
func (o *observedCalls) facts() map[string]string {
	facts := map[string]string{
		"pod at the API server": o.api.text(), "for the scheduler the pod is": o.place, "nominated in memory": "nowhere",
	}
	say := func(subject, fact string) {
		if fact != "" {
			facts[subject] = fact
		}
	}
	if o.known != o.api {
		say("pod as the handlers know it", o.known.text())
	}
	say("events on the way", strings.Join(o.onTheWay, "; "))
	say("nominated in memory", o.memory)
	say("call in flight", o.inFlight)
	say("call that waits", o.waits)
	if o.toldEarly {
		say("told of a call in flight", "that it is overwritten")
	}
	return facts
}

// observedNodeName names the node of a nomination.
func observedNodeName(node string) string {
	if node == "" {
		return "no node"
	}
	return node
}
