package scheduler

// A run of async-preemption (1.32 and later): one preemptor, and victims on the one node. The goroutine that
// prepareCandidateAsync starts is that of this tree, and stops at gates:
//
//	begin    before its first step
//	ask      before the requests for a victim
//	request  before a PATCH or a DELETE for which the action does not stand: an action is one request at most
//	asked    after the requests for the last one of the victims that are asked for side by side
//	end      after the requests for the last victim
//
// The informer has the events of victims in order. Those of the preemptor, and of a pod that waits for a node, are in
// no run: they are heard of at once.

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

const playedPreemptor = "preemptor"

// playedStop is where a goroutine of a preemption stands: at which gate, "" while it moves.
type playedStop struct {
	gate string
	goOn chan struct{}
}

// playedCall is one call of PreemptPod: the requests for a victim.
type playedCall struct {
	playedStop
	victim    string
	goroutine string
	// last: the call is that for the last victim, in the goroutine itself.
	last, over bool
	// How many requests it may make; whether these fail.
	permits int
	fails   bool
	// Whether the victim was gone when it was asked for; whether its condition was patched; what the call has returned.
	gone, patched bool
	err           error
}

// playedPreemption is one goroutine of prepareCandidateAsync.
type playedPreemption struct {
	playedStop
	goroutine string
	// The victims that the cycle has chosen and that do not terminate.
	victims []*v1.Pod
	// What Go calls the candidate: calls of PreemptPod have it. nil before the first call.
	candidate interface{}
	ctx       context.Context
	calls     []*playedCall
	// The last victim is left out.
	leftOut bool
}

// playedPreemptions are the goroutines that run, the oldest first, and what they have in common.
type playedPreemptions struct {
	running []*playedPreemption
	// The one that an action moves; the victims that the last cycle has chosen.
	moving *playedPreemption
	chosen []*v1.Pod
	// The Evaluator, or what it has for the goroutines: the Executor (1.36 on).
	keeper interface{}
	// How many requests have failed as the run says.
	failures int
}

func (p *playedPreemptions) letGo() {
	for _, each := range p.running {
		if each.gate != "" {
			close(each.goOn)
		}
		for _, call := range each.calls {
			if call.gate != "" {
				close(call.goOn)
			}
		}
	}
}

// --- the gates ------------------------------------------------------------------------------------------------------

// playedVictims is the plugin's part of preemption, which chooses victims: it notes whom.
type playedVictims struct {
	preemption.Interface
	k *playedScheduler
}

func (p *playedVictims) SelectVictimsOnNode(ctx context.Context, state playedCycleState, pod *v1.Pod, node playedAskedNode, budgets []*policy.PodDisruptionBudget) ([]*v1.Pod, int, *playedStatus) {
	victims, violations, status := p.Interface.SelectVictimsOnNode(ctx, state, pod, node, budgets)
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	p.k.preemptions.chosen = victims
	return victims, violations, status
}

// playedOfPreemption is what preemption has of the framework. The goroutine begins with NominatedPodsForNode.
type playedOfPreemption struct {
	playedHandle
	k *playedScheduler
}

func (h *playedOfPreemption) NominatedPodsForNode(node string) []playedPodInfo {
	h.k.preemptionBegins()
	return h.playedHandle.NominatedPodsForNode(node)
}

// defaultPreemption is the plugin DefaultPreemption of the one profile.
func (k *playedScheduler) defaultPreemption() interface{} {
	profile := k.sched.Profiles[v1.DefaultSchedulerName].(*playedFramework).playedRealFramework
	plugins := reflect.ValueOf(playedField(profile, "postFilterPlugins"))
	for i := 0; i < plugins.Len(); i++ {
		if plugin := plugins.Index(i).Interface(); plugin.(playedAnyPlugin).Name() == "DefaultPreemption" {
			return plugin
		}
	}
	panic("the profile has no plugin DefaultPreemption")
}

// holdPreemption puts the gates around what the plugin DefaultPreemption calls.
func (k *playedScheduler) holdPreemption() {
	plugin := k.defaultPreemption()
	keeper := playedField(plugin, "Executor", "Evaluator")
	k.preemptions.keeper = keeper
	handle := playedPlace(keeper, []string{"fh", "Handler"})
	handle.Set(reflect.ValueOf(&playedOfPreemption{handle.Interface().(playedHandle), k}))
	chooses := playedPlace(playedField(plugin, "Evaluator"), []string{"Interface"})
	chooses.Set(reflect.ValueOf(&playedVictims{chooses.Interface().(preemption.Interface), k}))
	playedAround(playedPlace(keeper, []string{"PreemptPod"}).Addr().Interface(), func(arguments []reflect.Value) {
		k.asks(arguments[0].Interface().(context.Context), arguments[1].Interface(), arguments[3].Interface().(*v1.Pod).Name)
	}, func(results []reflect.Value) {
		err, _ := results[0].Interface().(error)
		k.hasAsked(err)
	})
	if k.scope.leavesLastOut {
		was := utilruntime.ErrorHandlers
		k.playedRun.t.Cleanup(func() { utilruntime.ErrorHandlers = was })
		first := func(context.Context, error, string, ...interface{}) { k.leavesOut() }
		utilruntime.ErrorHandlers = append([]utilruntime.ErrorHandler{first}, was...)
	}
}

// preemptionBegins holds a goroutine of prepareCandidateAsync before its first step.
func (k *playedScheduler) preemptionBegins() {
	p := &playedPreemption{goroutine: playedGoroutine()}
	k.mu.Lock()
	for _, victim := range k.preemptions.chosen {
		if victim.DeletionTimestamp == nil {
			p.victims = append(p.victims, victim)
		}
	}
	k.preemptions.running = append(k.preemptions.running, p)
	k.standOfPreemption(&p.playedStop, "begin")
}

// asks holds a call of PreemptPod before it begins.
func (k *playedScheduler) asks(ctx context.Context, candidate interface{}, victim string) {
	call := &playedCall{victim: victim, goroutine: playedGoroutine()}
	k.mu.Lock()
	for _, p := range k.preemptions.running {
		if p.candidate == nil && p == k.preemptions.moving {
			p.candidate, p.ctx = candidate, ctx
		}
		if p.candidate == candidate {
			call.last = p.goroutine == call.goroutine
			p.calls = append(p.calls, call)
		}
	}
	k.standOfPreemption(&call.playedStop, "ask")
}

// hasAsked notes what a call of PreemptPod returns. The last call is held, and so is the last one of those side by side.
func (k *playedScheduler) hasAsked(err error) {
	k.mu.Lock()
	p, call := k.callOf(playedGoroutine())
	if call == nil {
		k.mu.Unlock()
		return
	}
	call.over, call.err = true, err
	gate := "asked"
	if call.last {
		gate = "end"
	}
	for _, other := range p.calls {
		if !other.over {
			k.mu.Unlock()
			return
		}
	}
	k.standOfPreemption(&call.playedStop, gate)
}

// leavesOut holds a goroutine that has met an error of the victims side by side, if it leaves the last one out then.
func (k *playedScheduler) leavesOut() {
	k.mu.Lock()
	for _, p := range k.preemptions.running {
		if p.goroutine != playedGoroutine() || p.leftOut {
			continue
		}
		for _, call := range p.calls {
			if call.last {
				k.mu.Unlock()
				return
			}
		}
		p.leftOut = true
		k.standOfPreemption(&p.playedStop, "end")
		return
	}
	k.mu.Unlock()
}

// request makes a request, if the goroutine that runs may make one; else it is held before.
func (k *playedScheduler) request(ctx context.Context, kind string, send func() error) error {
	k.mu.Lock()
	_, call := k.callOf(playedGoroutine())
	if call == nil {
		k.mu.Unlock()
		return send()
	}
	if call.permits == 0 && ctx.Err() == nil {
		k.standOfPreemption(&call.playedStop, "request")
		k.mu.Lock()
	}
	// The client sends nothing. retry.OnError takes this error of a PATCH for success, so that a DELETE may follow.
	if err := ctx.Err(); err != nil {
		k.mu.Unlock()
		return err
	}
	call.permits--
	fails := call.fails
	k.mu.Unlock()
	if fails {
		return errors.New("the request fails")
	}
	err := send()
	k.mu.Lock()
	defer k.mu.Unlock()
	call.gone = apierrors.IsNotFound(err)
	call.patched = call.patched || kind == "PATCH" && err == nil
	return err
}

// standOfPreemption stops the goroutine that runs. It has the lock, and gives it back.
func (k *playedScheduler) standOfPreemption(stop *playedStop, gate string) {
	if k.ended {
		k.mu.Unlock()
		return
	}
	stop.gate, stop.goOn = gate, make(chan struct{})
	goOn := stop.goOn
	k.mu.Unlock()
	<-goOn
}

// callOf is the call of PreemptPod that the goroutine makes, nil if it makes none.
func (k *playedScheduler) callOf(goroutine string) (*playedPreemption, *playedCall) {
	for _, p := range k.preemptions.running {
		for _, call := range p.calls {
			if call.goroutine == goroutine && !call.over {
				return p, call
			}
		}
	}
	return nil, nil
}

// preemptionsStand says whether each goroutine of a preemption stands at a gate, or waits for others that do.
func (k *playedScheduler) preemptionsStand() bool {
	stands, waits := map[string]bool{}, map[string]bool{}
	for _, p := range k.preemptions.running {
		stands[p.goroutine] = p.gate != ""
		for _, call := range p.calls {
			stands[call.goroutine] = stands[call.goroutine] || call.gate != ""
			waits[p.goroutine] = waits[p.goroutine] || !call.last && call.gate != ""
		}
	}
	for _, stack := range strings.Split(playedStacks(), "\n\n") {
		of := strings.SplitN(stack, " [", 2)[0]
		switch {
		case stands[of], !strings.Contains(stack, "prepareCandidateAsync") && !strings.Contains(stack, "ParallelizeUntil"):
		case waits[of] && strings.Contains(stack, "WaitGroup).Wait("):
		default:
			return false
		}
	}
	return true
}

// letPreemptionGoOn lets a goroutine of the preemption go on to the next gate.
func (k *playedScheduler) letPreemptionGoOn(p *playedPreemption, stop *playedStop) error {
	k.mu.Lock()
	stop.gate, k.preemptions.moving = "", p
	k.mu.Unlock()
	close(stop.goOn)
	return k.settlePreemptions()
}

// settlePreemptions waits until each goroutine of a preemption stands, and forgets those that have ended.
func (k *playedScheduler) settlePreemptions() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for end := time.Now().Add(playedPatience); time.Now().Before(end); {
		if k.preemptionsStand() {
			var running []*playedPreemption
			for _, p := range k.preemptions.running {
				if playedRuns(p.goroutine) {
					running = append(running, p)
				}
			}
			k.preemptions.running = running
			return nil
		}
		k.mu.Unlock()
		time.Sleep(time.Millisecond)
		k.mu.Lock()
	}
	return errors.New("a preemption does not go on")
}

// --- the world ------------------------------------------------------------------------------------------------------

// beginPreemption has the victims run on the node, v1 as the most important one, and creates the preemptor, which needs
// the room of all.
func (k *playedScheduler) beginPreemption() {
	k.holdPreemption()
	for at := 1; at <= k.scope.victims; at++ {
		k.runVictim(at)
	}
	k.writeWaitingPod(playedPreemptor, 100, int64(1000*k.scope.victims))
	k.hearOfWaitingPods()
}

func (k *playedScheduler) runVictim(number int) {
	name := fmt.Sprintf("v%d", number)
	k.writeWaitingPod(name, int32(100-number), 1000)
	k.pods[name].Spec.NodeName = "n1"
	k.podWatch[len(k.podWatch)-1].pod = k.pods[name].DeepCopy()
	k.hearOf(len(k.podWatch) - 1)
}

func (k *playedScheduler) writeWaitingPod(name string, priority int32, milli int64) {
	requests := v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(milli, resource.DecimalSI)}
	k.writePod(&v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: playedNamespace, UID: types.UID(name)},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName,
			Priority:      &priority,
			Containers: []v1.Container{{
				Name: "c", Image: "image", Resources: v1.ResourceRequirements{Requests: requests},
			}},
		},
	})
}

// hearOf takes an event out of its order: the store has it, and the handlers hear of it.
func (k *playedScheduler) hearOf(at int) {
	event := k.podWatch[at]
	k.podWatch = append(k.podWatch[:at:at], k.podWatch[at+1:]...)
	if change, is := k.store(event); is {
		for handler := range k.podHandlers {
			k.hear(handler, change)
		}
	}
}

// hearOfWaitingPods has the handlers hear of the preemptor, and of pods that have no node.
func (k *playedScheduler) hearOfWaitingPods() {
	for at := 0; at < len(k.podWatch); {
		if pod := k.podWatch[at].pod; pod.Name == playedPreemptor || pod.Spec.NodeName == "" {
			k.hearOf(at)
		} else {
			at++
		}
	}
}

// holdAtPermit has the scheduler find the node for the victim, which waits at Permit then. Nothing has happened yet: the
// pod that runs is taken away, and the preemptor comes after it.
func (k *playedScheduler) holdAtPermit(name string) error {
	for _, each := range []string{playedPreemptor, name} {
		k.removePod(each)
		k.hearOf(len(k.podWatch) - 1)
	}
	number, err := strconv.Atoi(name[1:])
	if err != nil {
		return err
	}
	k.writeWaitingPod(name, int32(100-number), 1000)
	k.hearOfWaitingPods()
	k.waits = 1
	err = k.cycle(name, "wait_on_permit")
	k.hearOfWaitingPods()
	k.writeWaitingPod(playedPreemptor, 100, int64(1000*k.scope.victims))
	k.hearOfWaitingPods()
	return err
}

// cycle pops the pod, and has its attempt go on up to the gate, or to its end.
func (k *playedScheduler) cycle(name, to string) error {
	if err := k.pop(name); err != nil {
		return err
	}
	return k.goOnTo(name, to)
}

// goOnTo has the attempt of the pod go on up to the gate, or to its end.
func (k *playedScheduler) goOnTo(name, to string) error {
	for a := k.attemptOf(name); a != nil && a.gate != to; a = k.attemptOf(name) {
		if err := k.goOn(a.gate, map[string]string{"pod": name}); err != nil {
			return err
		}
	}
	return nil
}

// --- the actions of a run -------------------------------------------------------------------------------------------

// actOfPreemption takes an action of a run of async-preemption.
func (k *playedScheduler) actOfPreemption(name string, args map[string]string) error {
	err := k.actOfPreemptionAlone(name, args)
	k.hearOfWaitingPods()
	return err
}

func (k *playedScheduler) actOfPreemptionAlone(name string, args map[string]string) error {
	victim := args["victim"]
	switch name {
	case "hold_at_permit":
		return k.holdAtPermit(victim)
	case "try_preemptor":
		return k.cycle(playedPreemptor, "requeue")
	case "requeue_preemptor":
		if a := k.attemptOf(playedPreemptor); a == nil || a.gate != "requeue" {
			return errors.New("the preemptor is not being scheduled")
		}
		return k.goOnTo(playedPreemptor, "")
	case "delete_pod", "end_pod":
		if k.pods[victim] == nil {
			return fmt.Errorf("%s is gone", victim)
		}
		if name == "delete_pod" {
			return k.deletePod(victim)
		}
		k.removePod(victim)
		return nil
	case "fail_binding":
		if a := k.attemptOf(victim); a == nil || a.gate != "wait_on_permit" || k.waitingFor(a.pod.UID) == nil {
			return fmt.Errorf("%s does not wait at Permit", victim)
		}
		if playedSent(k.waitingFor(types.UID(victim))) == "" {
			return fmt.Errorf("%s is not rejected", victim)
		}
		return k.goOnTo(victim, "")
	case "store_event":
		return k.storeEvent()
	case "handle_event":
		if len(k.backlog[0]) == 0 {
			if err := k.storeEvent(); err != nil {
				return err
			}
		}
		for at := range k.backlog {
			k.must(k.handle(at))
		}
		return nil
	}
	number, err := strconv.Atoi(args["goroutine"])
	if err != nil || number >= len(k.preemptions.running) {
		return fmt.Errorf("there is no preemption %d", number+1)
	}
	p := k.preemptions.running[number]
	switch name {
	case "patch_victim", "delete_victim", "reject_waiting_victim", "fail_request":
		return k.ask(p, name, victim)
	case "go_on_to_last_victim":
		if p.gate == "begin" {
			return k.letPreemptionGoOn(p, &p.playedStop)
		}
		for _, call := range p.calls {
			if call.gate == "asked" {
				return k.letPreemptionGoOn(p, &call.playedStop)
			}
		}
		return errors.New("not all others were asked for")
	case "end_preemption":
		if p.gate == "end" {
			return k.letPreemptionGoOn(p, &p.playedStop)
		}
		for _, call := range p.calls {
			if call.gate == "end" {
				return k.letPreemptionGoOn(p, &call.playedStop)
			}
		}
		return errors.New("the last victim was not asked for")
	}
	return fmt.Errorf("no run of async-preemption has %s", name)
}

// ask has the goroutine make its next request for the victim, or reject the victim without one.
func (k *playedScheduler) ask(p *playedPreemption, name, victim string) error {
	if p.gate == "begin" {
		if err := k.letPreemptionGoOn(p, &p.playedStop); err != nil {
			return err
		}
	}
	for _, call := range p.calls {
		if call.victim != victim || call.gate != "ask" && call.gate != "request" {
			continue
		}
		k.mu.Lock()
		call.permits, call.fails = 1, name == "fail_request"
		if name == "reject_waiting_victim" {
			call.permits = 0
		}
		if call.fails && p.ctx.Err() == nil {
			k.preemptions.failures++
		}
		k.mu.Unlock()
		return k.letPreemptionGoOn(p, &call.playedStop)
	}
	return fmt.Errorf("no request for %s is next", victim)
}

// storeEvent brings the next event into the informer's store.
func (k *playedScheduler) storeEvent() error {
	if len(k.podWatch) == 0 {
		return errors.New("no event of a pod is on its way")
	}
	event := k.podWatch[0]
	k.podWatch = k.podWatch[1:]
	if change, is := k.store(event); is {
		for at := range k.backlog {
			k.backlog[at] = append(k.backlog[at], change)
		}
	}
	return nil
}
