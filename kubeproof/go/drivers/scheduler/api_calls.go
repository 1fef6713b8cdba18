package scheduler

// A run of api-calls (1.34 and later): one pod, with SchedulerAsyncAPICalls on. The dispatcher of calls, the queue, the
// cache and the handling of failures are those of this tree. The run says what a search finds. A plugin at PostFilter
// stands in for DefaultPreemption: it answers as that one does, without victims. Further gates:
//
//	recover_from_binding  after a Binding that failed, before the scheduler gives back what the pod holds
//	patch_after_binding   in FailureHandler, before the event FailedScheduling and the PATCH
//
// APIDispatcher.Run takes each call at once. Here it is begun anew for each call, and what enqueues the next call wakes
// it no more. A call in flight stands before its request, and again after the answer.

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const playedCaller = "p1"

// playedCalls is what the world has of the dispatcher.
type playedCalls struct {
	// What the search of the attempt finds: the name of the action, and its node.
	finds, node string
	// The call in flight, which is a *queuedAPICall; nil if there is none.
	inFlight interface{}
	// Where it stands: "request", "answer", "" while it moves; what it goes on with.
	gate string
	goOn chan string
	// What the API server has answered: "", "done", "refused".
	answered string
	// Which node the scheduler wanted last that the status names.
	meant string
	// Whether somebody was told the end of a call in flight.
	toldEarly bool
}

func (c *playedCalls) letGo() {
	if c.gate != "" {
		close(c.goOn)
	}
}

// beginCalls creates the pod, of which the scheduler hears at once.
func (k *playedScheduler) beginCalls() {
	k.createPod(playedCaller)
	k.must(k.deliverPod())
}

// --- the gates ------------------------------------------------------------------------------------------------------

// fitsNowhere is how the search ends if the run says that the pod fits nowhere; nil if it fits.
func (k *playedScheduler) fitsNowhere() error {
	if !k.scope.calls || k.calls.finds == "assume" {
		return nil
	}
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	return &playedFitError{Pod: k.pods[playedCaller], NumAllNodes: k.scope.nodes, Diagnosis: diagnosis}
}

// playedNominator is a plugin at PostFilter: it preempts, finds no candidate, or waits for victims, as the run says.
type playedNominator struct{ k *playedScheduler }

func (p *playedNominator) Name() string { return playedPlugin + "Nominator" }

func (p *playedNominator) PostFilter(context.Context, playedCycleState, *v1.Pod, playedStatusReader) (*playedPostFilterResult, *playedStatus) {
	calls := &p.k.calls
	switch {
	case calls.finds == "nominate":
		return playedNominates(calls.node), nil
	case calls.finds == "find_no_candidate" && p.k.scope.clearsWithoutCandidate:
		return playedNominates(""), playedUnschedulable()
	}
	return nil, playedUnschedulable()
}

func playedNominates(node string) *playedPostFilterResult {
	return &playedPostFilterResult{NominatingInfo: &playedNominating{NominatedNodeName: node, NominatingMode: playedOverride}}
}

// nominator is the plugin in the place of those at PostFilter.
func (k *playedScheduler) nominator() playedNamed {
	if k.scope.calls {
		return &playedNominator{k}
	}
	return nil
}

// means notes what the handling of a failure is told of the nomination.
func (k *playedScheduler) means(nominating reflect.Value) {
	if k.scope.calls && nominating.FieldByName("NominatingMode").Int() == int64(playedOverride) {
		k.calls.meant = nominating.FieldByName("NominatedNodeName").String()
	}
}

// dispatched holds the request of the call in flight before the API server gets it, and after it has answered.
func (k *playedScheduler) dispatched(send func(refused bool) error) error {
	err := send(k.standOfCall("request") == "refused")
	k.mu.Lock()
	k.calls.answered = "done"
	if err != nil {
		k.calls.answered = "refused"
	}
	k.mu.Unlock()
	k.standOfCall("answer")
	return err
}

func (k *playedScheduler) standOfCall(gate string) string {
	k.mu.Lock()
	if k.ended {
		k.mu.Unlock()
		return ""
	}
	k.calls.gate, k.calls.goOn = gate, make(chan string)
	goOn := k.calls.goOn
	k.mu.Unlock()
	return <-goOn
}

// asksToBind says whether the goroutine of the attempt's binding waits for the answer to its Binding.
func (k *playedScheduler) asksToBind(a *playedAttempt) bool {
	if !k.scope.calls || a.binding == "" || a.gate != "" {
		return false
	}
	for _, stack := range strings.Split(playedStacks(), "\n\n") {
		if strings.HasPrefix(stack, a.binding+" [select") && strings.Contains(stack, "WaitOnFinish(") {
			return true
		}
	}
	return false
}

// --- the call queue -------------------------------------------------------------------------------------------------

func (k *playedScheduler) callQueue() interface{} {
	return playedField(k.sched.APIDispatcher, "callQueue")
}

// waitingCalls says how many calls Run could take.
func (k *playedScheduler) waitingCalls() int {
	ring := playedPlace(k.callQueue(), []string{"callsQueue"}).Addr().MethodByName("Len")
	return int(ring.Call(nil)[0].Int())
}

// trackedCall is the call that the queue has for the pod, nil if there is none: it waits, or is in flight.
func (k *playedScheduler) trackedCall() interface{} {
	calls := reflect.ValueOf(playedField(k.callQueue(), "apiCalls"))
	call := calls.MapIndex(reflect.ValueOf(types.UID(playedCaller + "#1")))
	if !call.IsValid() {
		return nil
	}
	return call.Interface()
}

// startCall has Run take the call that waits, up to the call's request.
func (k *playedScheduler) startCall() error {
	if k.waitingCalls() == 0 {
		return errors.New("no call waits in the dispatcher")
	}
	k.calls.inFlight = k.trackedCall()
	k.sched.APIDispatcher.Run(klog.Background())
	if err := k.awaitCall(); err != nil {
		return err
	}
	queue := k.callQueue()
	lock := playedPlace(queue, []string{"lock"}).Addr().Interface().(*sync.RWMutex)
	lock.Lock()
	playedSet(queue, "cond", sync.NewCond(lock))
	lock.Unlock()
	if k.calls.gate == "" {
		return errors.New("the call makes no request: its goroutine stops nowhere")
	}
	return nil
}

// awaitCall waits until the call in flight stands, or has ended, and Run waits for another one.
func (k *playedScheduler) awaitCall() error {
	for end := time.Now().Add(playedPatience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		runs, takes := false, false
		for _, stack := range strings.Split(playedStacks(), "\n\n") {
			by := stack[strings.LastIndex(stack, "created by ")+1:]
			runs = runs || strings.Contains(by, "(*APIDispatcher).Run.func")
			takes = takes || strings.Contains(by, "(*APIDispatcher).Run in") && !strings.Contains(stack, "sync.(*Cond).Wait(")
		}
		k.mu.Lock()
		stands := k.calls.gate != ""
		k.mu.Unlock()
		if !takes && runs == stands {
			return nil
		}
	}
	return errors.New("a call of the dispatcher does not go on")
}

// goOnWithCall has the call in flight go on from the gate to the next one, or to its end.
func (k *playedScheduler) goOnWithCall(from, how string) error {
	k.mu.Lock()
	if k.calls.gate != from {
		k.mu.Unlock()
		return fmt.Errorf("no call in flight stands there: %s", from)
	}
	k.calls.gate = ""
	goOn := k.calls.goOn
	for _, a := range k.attempts {
		// The goroutine of a binding that hears of the end moves at once.
		if a.gate == "" {
			k.moving = a
		}
	}
	k.mu.Unlock()
	goOn <- how
	if err := k.awaitCall(); err != nil {
		return err
	}
	if k.calls.gate == "" {
		k.calls.inFlight, k.calls.answered = nil, ""
	}
	return nil
}

// settleBindings waits until each goroutine of a binding that was told its answer stands again, or has ended.
func (k *playedScheduler) settleBindings() error {
	for _, a := range append([]*playedAttempt{}, k.attempts...) {
		if a.gate == "" {
			k.mu.Lock()
			k.moving = a
			k.mu.Unlock()
			if err := k.settle(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// --- the actions of a run -------------------------------------------------------------------------------------------

// actOfCalls takes an action of a run of api-calls.
func (k *playedScheduler) actOfCalls(name string, args map[string]string) error {
	err := k.actOfCallsAlone(name, args)
	if err == nil {
		err = k.settleBindings()
	}
	if k.calls.inFlight != nil && playedPlace(k.calls.inFlight, []string{"onFinish"}).Len() > 0 {
		k.calls.toldEarly = true
	}
	return err
}

func (k *playedScheduler) actOfCallsAlone(name string, args map[string]string) error {
	caller := map[string]string{"pod": playedCaller}
	switch name {
	case "try_pod":
		if active, _, _ := k.queued(); len(active) == 0 {
			pod := k.known(playedCaller)
			k.sched.SchedulingQueue.Activate(klog.Background(), map[string]*v1.Pod{playedCaller: pod})
		}
		return k.pop(playedCaller)
	case "nominate", "find_no_candidate", "wait_for_victims", "assume":
		k.calls.finds, k.calls.node = name, args["node"]
		return k.goOn("schedule", caller)
	case "recover_from_binding", "patch_after_binding":
		return k.goOn(name, caller)
	case "start_call":
		return k.startCall()
	case "make_request":
		return k.goOnWithCall("request", "")
	case "refuse_binding":
		return k.goOnWithCall("request", "refused")
	case "end_call":
		return k.goOnWithCall("answer", "")
	case "clear_nomination":
		return k.clearNomination()
	case "handle_event":
		return k.deliverPod()
	}
	return fmt.Errorf("no run of api-calls has %s", name)
}

// clearNomination is what clearNominatedNodeName does, when another pod preempts on the node.
func (k *playedScheduler) clearNomination() error {
	profile := k.sched.Profiles[v1.DefaultSchedulerName]
	for name := range k.nodes {
		for _, info := range profile.NominatedPodsForNode(name) {
			k.calls.meant = ""
			_, err := profile.APICacher().PatchPodStatus(info.GetPod(), nil, &playedNominating{NominatingMode: playedOverride})
			if err != nil {
				k.playedRun.t.Logf("clearNominatedNodeName: %v", err)
			}
			return nil
		}
	}
	return errors.New("the pod is nominated nowhere")
}
