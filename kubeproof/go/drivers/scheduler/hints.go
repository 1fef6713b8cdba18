package scheduler

// What a run of queueing-hints has besides: conditions of the cluster that plugins wait for, claims, scheduling gates, and
// what the queue keeps for pods in flight. Further gates:
//
//	done_after_permit  before the Done that follows WaitOnPermit, in releases that have it there
//	pre_bind           before the plugins at PreBind
//	binding_failed     after a POST that failed, before the scheduler hears of the failure
//	patch_failure      before the event FailedScheduling

import (
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// The plugins that reject every pod while a condition does not hold, in the order in which the scope counts them.
var playedConditions = []string{"NodeResourcesFit", "NodeAffinity", "TaintToleration"}

// playedClaims is the plugin that holds every pod back as long as the ResourceClaims are missing.
const playedClaims = "Claims"

// playedGates is the scheduler's own plugin that holds pods back.
const playedGates = "SchedulingGates"

// accepts says whether the condition of a plugin holds.
func (k *playedScheduler) accepts(plugin string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.holds[plugin]
}

// waitsFor says which plugins the scope has.
func (k *playedScheduler) waitsFor() []string {
	plugins := append([]string{}, playedConditions[:k.scope.plugins]...)
	if k.scope.claims {
		plugins = append(plugins, playedClaims)
	}
	return plugins
}

// actWithHints takes an action that only queueing-hints has. taken: whether it is one.
func (k *playedScheduler) actWithHints(name string, args map[string]string) (taken bool, err error) {
	switch name {
	case "create_gated_pod":
		k.createPod(args["pod"])
		k.podWatch = k.podWatch[:len(k.podWatch)-1]
		gated := k.pods[args["pod"]]
		k.must(json.Unmarshal([]byte(`{"schedulingGates": [{"name": "example.com/gate"}]}`), &gated.Spec))
		k.podWatch = append(k.podWatch, playedPodEvent{kind: "add", pod: gated.DeepCopy()})
	case "take_off_gate":
		pod := k.pods[args["pod"]]
		if pod == nil || !playedGated(pod) {
			return true, fmt.Errorf("%s has no scheduling gate", args["pod"])
		}
		pod = pod.DeepCopy()
		gates := reflect.ValueOf(&pod.Spec).Elem().FieldByName("SchedulingGates")
		gates.Set(reflect.Zero(gates.Type()))
		k.writePod(pod)
	case "change_condition", "cluster_event":
		if name == "change_condition" {
			k.mu.Lock()
			k.holds[args["plugin"]] = !k.holds[args["plugin"]]
			k.mu.Unlock()
		}
		return true, k.changeNode(args["plugin"])
	case "change_claims":
		k.mu.Lock()
		k.holds[playedClaims] = !k.holds[playedClaims]
		held := !k.holds[playedClaims]
		k.mu.Unlock()
		if !held {
			k.move(playedClaim)
		}
	case "uninteresting_event":
		k.move("PersistentVolume")
	default:
		return false, nil
	}
	return true, nil
}

// changeNode has the handler of nodes hear of a change that the plugin waits for. preCheckForNode lets every pod pass.
func (k *playedScheduler) changeNode(plugin string) error {
	node := k.nodes["n1"].DeepCopy()
	k.version++
	switch plugin {
	case "NodeResourcesFit":
		room := node.Status.Allocatable[v1.ResourceCPU]
		room.Add(resource.MustParse("1"))
		node.Status.Allocatable[v1.ResourceCPU] = room
	case "NodeAffinity":
		node.Labels["change"] = fmt.Sprint(k.version)
	case "TaintToleration":
		node.Spec.Taints = []v1.Taint{{Key: "change", Value: fmt.Sprint(k.version), Effect: v1.TaintEffectPreferNoSchedule}}
	default:
		return fmt.Errorf("no plugin is %s", plugin)
	}
	k.writeNode(node, "update")
	return k.deliverNode()
}

// move is what a handler of other objects does: it tells the queue that an object of this resource was added.
func (k *playedScheduler) move(of string) {
	function := reflect.ValueOf(k.sched.SchedulingQueue).MethodByName("MoveAllToActiveOrBackoffQueue")
	arguments := make([]reflect.Value, function.Type().NumIn())
	for at := range arguments {
		arguments[at] = reflect.New(function.Type().In(at)).Elem()
		if event := arguments[at]; event.Kind() == reflect.Struct && event.FieldByName("ActionType").IsValid() {
			event.FieldByName("Resource").SetString(of)
			event.FieldByName("ActionType").SetInt(1)
		}
	}
	k.guarded(func() { function.Call(arguments) })
}

// fails gives the error by which the attempt that moves fails, nil if it does not.
func (k *playedScheduler) fails() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.moving != nil && k.moving.outcome == "error" {
		return errors.New("the attempt fails by an error")
	}
	return k.fitsNowhere()
}

// afterFailedBinding is the step by which the scheduler hears that a Binding has failed.
func (k *playedScheduler) afterFailedBinding() string {
	if k.scope.hints {
		return "binding_failed"
	}
	return "bind_failed"
}

// beforePatch holds a goroutine that handles a failure before the event FailedScheduling.
func (k *playedScheduler) beforePatch() {
	failing, binding := false, false
	k.note(func(a *playedAttempt) { failing, binding = a.failing, playedGoroutine() == a.binding })
	switch {
	case failing && k.scope.hints:
		k.gate("patch_failure")
	case failing && binding && k.scope.calls:
		k.gate("patch_after_binding")
	}
}

// beforeDone holds the goroutine of a binding before the Done that follows WaitOnPermit.
func (k *playedScheduler) beforeDone() {
	permitted := false
	k.note(func(a *playedAttempt) { permitted = a.permitted && playedGoroutine() == a.binding })
	if permitted && k.scope.hints {
		k.gate("done_after_permit")
	}
}

// isDone notes that the attempt that moves has called Done.
func (k *playedScheduler) isDone(uid types.UID) {
	k.note(func(a *playedAttempt) { a.done = a.done || a.pod.UID == uid })
}

// permitted notes whether the pod may be bound as far as the plugins at Permit say.
func (k *playedScheduler) permitted(is bool) {
	k.note(func(a *playedAttempt) { a.permitted = is })
}

func playedGated(pod *v1.Pod) bool {
	gates := reflect.ValueOf(pod.Spec).FieldByName("SchedulingGates")
	return gates.IsValid() && gates.Len() > 0
}

// observedElement is an element of inFlightEvents: a pod, or an event.
type observedElement struct {
	// The pod; "" for an event.
	uid string
	// Of an event: the kind of its object, and whether a plugin waits for it or it says that a pending pod was updated.
	kind   string
	needed bool
}

// observedHints is what a state of queueing-hints has besides.
type observedHints struct {
	// The UIDs in inFlightPods; the elements of inFlightEvents.
	inFlight []string
	elements []observedElement
	// By UID: the plugins that have rejected a pod in unschedulableQ.
	rejectedBy map[string][]string
	// Whether each plugin accepts a pod without a scheduling gate.
	accepts bool
}

func (k *playedScheduler) observeHints() *observedHints {
	if !k.scope.hints {
		return nil
	}
	h := &observedHints{accepts: true, rejectedBy: map[string][]string{}}
	for _, plugin := range k.waitsFor() {
		h.accepts = h.accepts && k.accepts(plugin)
	}
	keeper := k.inFlight()
	for _, uid := range reflect.ValueOf(playedField(keeper, "inFlightPods")).MapKeys() {
		h.inFlight = append(h.inFlight, uid.String())
	}
	sort.Strings(h.inFlight)
	// Up to 1.28.1 another list has the events, and no pods.
	events := playedField(keeper, "inFlightEvents", "receivedEvents").(*list.List)
	for each := events.Front(); each != nil; each = each.Next() {
		if pod, is := each.Value.(*v1.Pod); is {
			h.elements = append(h.elements, observedElement{uid: string(pod.UID)})
			continue
		}
		event := reflect.ValueOf(playedField(each.Value, "event"))
		updated, _ := playedField(each.Value, "newObj").(*v1.Pod)
		kind := event.FieldByName("Resource").String()
		needed := k.registered(kind, event.FieldByName("ActionType").Int()) || updated != nil && updated.Spec.NodeName == ""
		kind = kind[strings.LastIndex(kind, "/")+1:]
		if strings.HasSuffix(kind, "Pod") {
			kind = "Pod"
		}
		h.elements = append(h.elements, observedElement{kind: kind, needed: needed})
	}
	infos := playedField(playedField(k.queue(), "unschedulablePods"), "podInfoMap")
	for _, info := range infos.(map[string]*playedQueuedPod) {
		for _, name := range []string{"UnschedulablePlugins", "PendingPlugins"} {
			if plugins := reflect.ValueOf(info).Elem().FieldByName(name); plugins.IsValid() {
				for _, plugin := range plugins.MapKeys() {
					h.rejectedBy[string(info.Pod.UID)] = append(h.rejectedBy[string(info.Pod.UID)], plugin.String())
				}
			}
		}
	}
	return h
}

// inFlight is what has inFlightPods and inFlightEvents: the queue, or its activeQ.
func (k *playedScheduler) inFlight() interface{} {
	var keeper interface{} = k.queue()
	if !reflect.ValueOf(keeper).Elem().FieldByName("inFlightPods").IsValid() {
		keeper = playedField(keeper, "activeQ")
	}
	return keeper
}

// registered says whether some plugin that may reject a pod waits for such an event, by the queue's map. In 1.28 the map
// has every event for plugins that do not say what they wait for, such as DefaultBinder, which rejects nothing.
func (k *playedScheduler) registered(kind string, action int64) bool {
	profiles := reflect.ValueOf(playedField(k.queue(), "queueingHintMap"))
	for _, profile := range profiles.MapKeys() {
		for _, event := range profiles.MapIndex(profile).MapKeys() {
			is := event.FieldByName("Resource").String()
			if is != "*" && kind != "*" && is != kind || event.FieldByName("ActionType").Int()&action == 0 {
				continue
			}
			functions := profiles.MapIndex(profile).MapIndex(event)
			for i := 0; i < functions.Len(); i++ {
				name := functions.Index(i).Elem().FieldByName("PluginName").String()
				if name == playedGates || strings.HasPrefix(name, playedPlugin) {
					return true
				}
			}
		}
	}
	return false
}

// facts says it in the words of the run.
func (h *observedHints) facts(say func(string, []string)) {
	say("queue: inFlightPods", h.inFlight)
	var elements []string
	for _, each := range h.elements {
		if each.uid == "" {
			elements = append(elements, "an event of a "+each.kind)
		} else {
			elements = append(elements, each.uid)
		}
	}
	say("queue: inFlightEvents", elements)
}

// running has the UIDs of the pods whose attempts have not called Done.
func (s observed) running() map[string]bool {
	found := map[string]bool{}
	for _, each := range s.goroutines {
		if !each.done {
			found[each.pod.uid] = true
		}
	}
	return found
}

// acceptedNow gives the pending pod of the API server that every plugin would accept now; "" if there is none.
func (s observed) acceptedNow(name string) string {
	pod, there := s.pods[name]
	if !there || pod.node != "" || pod.terminating || pod.gated || !s.hints.accepts {
		return ""
	}
	return pod.uid
}

// stuck gives a pod in unschedulableQ that every plugin would accept, when nothing is under way; "" if there is none.
// byPlugin: whether some plugin has rejected the pod.
func (s observed) stuck(byPlugin bool) string {
	if !s.atRest() {
		return ""
	}
	for _, pod := range s.unschedule {
		if s.acceptedNow(pod.name) != "" && len(s.hints.rejectedBy[pod.uid]) > 0 == byPlugin {
			return pod.uid
		}
	}
	return ""
}

// finally asks a property after all has gone on that can go on without users: events are delivered, the scheduler acts.
func (k *playedScheduler) finally(property observedProperty) {
	k.playedRun.t.Helper()
	for i := 0; i < 100 && k.goesOn(); i++ {
	}
	s := k.observe()
	k.atEnd(property(s, observedAction{}, s))
}

// goesOn takes an action of the informer or of the scheduler, if there is one.
func (k *playedScheduler) goesOn() bool {
	if k.crashed != "" {
		return false
	}
	active, _, _ := k.queued()
	busy := false
	for _, a := range k.attempts {
		busy = busy || !a.returned
	}
	switch {
	case len(k.podWatch) > 0:
		k.must(k.deliverPod())
	case len(k.backlog[0]) > 0:
		k.must(k.handle(0))
	case len(k.backlog[1]) > 0:
		k.must(k.handle(1))
	case len(k.attempts) > 0 && k.attempts[0].gate != "":
		a := k.attempts[0]
		k.must(k.goOn(a.gate, map[string]string{"pod": a.pod.Name}))
	case len(active) > 0 && !busy:
		// Which pod is the first one does not matter.
		_ = k.pop("")
	default:
		return false
	}
	return true
}

func sortedKeys(of map[string]int) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
