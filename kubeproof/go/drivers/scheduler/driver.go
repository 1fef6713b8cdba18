package scheduler

// The real scheduler in a small world: New, ScheduleOne, preemption, the event handlers, the queue and the cache are
// those of this tree. The world stands in for the API server, for the informers, and for users. A goroutine of the
// scheduler stops at gates, so that one action of a run is one move of the code:
//
//	schedule           after NextPod: the pod is popped
//	assume             after SchedulePod: the pod fits
//	post_filter        after SchedulePod: the pod fits nowhere, and plugins may preempt
//	permit             before the plugins at Permit, if there are any
//	nominate_host      before the PATCH that nominates the pod to the node to which it will be bound
//	listen             before WaitOnPermit, if the pod waits
//	wait_on_permit     after WaitOnPermit
//	requeue            before FailureHandler
//	add_nominated_pod  in FailureHandler, before AddNominatedPod
//	pre_bind           before the plugins at PreBind, if these may fail
//	bind_by_extender   before an extender answers a request to bind
//	bind               before the POST of the Binding
//	bind_failed        after a POST that failed, before the scheduler hears of the failure
//	move_others_after_forget  after FailureHandler, if a pod was rejected while it waited (from 1.26 on)
//
// Up to 1.18 there are, in place of post_filter, requeue and add_nominated_pod:
//
//	record_failure           after the error function was called, before event and condition
//	preempt                  before the preemptor is looked up
//	set_nominated_node_name  before the PUT of the nomination
//	delete_victims           before the DELETE of the first victim
//	get_node                 in the error function, before the GET of a node that a Binding was not told of
//	remove_missing_node      in the error function, after this GET if there is no node, before RemoveNode
//	get_pod                  in the error function's goroutine, before the GET
//	add_unschedulable        in this goroutine, after the GET of a pending pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	// How long a goroutine may take from one gate to the next.
	playedPatience  = 10 * time.Second
	playedNamespace = "default"
	playedPlugin    = "Played"

	playedOtherScheduler = "other"
)

var playedResource = v1.Resource("pods")

// playedScope says how large the world is, and what there is in it.
type playedScope struct {
	pods, high, top, big    int
	nodes, lateNodes, zones int
	room                    int
	preemption, graceful    bool
	// A pod with finalizers terminates when it is deleted, bound or not.
	blockedDeletes    bool
	listeners         bool
	boundAtStart      int
	permit, extenders int
	// There is an extender with the verb Filter.
	extender bool
	// How many plugins there are at Reserve; whether plugins may fail; whether pods have volumes to bind.
	reserves int
	failures bool
	volumes  bool
	// How many pods name another scheduler in every incarnation but the first.
	unknownProfile int
	// A pod of others on every node keeps pods with the label app=1 away.
	antiAffinity bool
	// A Binding needs only the name of the pod.
	bindsAnyUID bool
	// A Binding clears status.nominatedNodeName.
	clearsNomination bool
	// The informer of pods is the real one, with its reflector.
	reflector bool
	ignorable bool
	// A run of queueing-hints: how many plugins reject every pod while a condition does not hold; whether pods have
	// scheduling gates; whether a plugin holds pods back while the ResourceClaims are missing, and is asked before
	// SchedulingGates.
	hints, gates, claims, claimsFirst bool
	plugins                           int
	// A run of async-preemption: how many victims the preemptor has. Whether a request for a pod that is gone counts as
	// one that failed; whether the last victim is left out after a request that failed.
	victims                  int
	goneFails, leavesLastOut bool
	// A run of api-calls: the gate SchedulerAsyncAPICalls is on. Whether a preemption without a candidate clears the
	// nomination.
	calls, clearsWithoutCandidate bool
	// What an extender answers, by its verb, and the extender's weight: no run of a system has such an extender.
	answers map[string]string
	weight  int64
}

// skips says that no action of the run stands at the gate.
func (s playedScope) skips(step string) bool {
	if s.calls {
		return step != "schedule" && step != "recover_from_binding" && step != "patch_after_binding"
	}
	// In a run of queueing-hints no nomination matters.
	return s.hints && step == "add_nominated_pod"
}

// playedNamed is a plugin of the world, as far as all releases know it.
type playedNamed interface{ Name() string }

// playedPodEvent is on its way from the API server to the informer.
type playedPodEvent struct {
	kind string
	pod  *v1.Pod
	// A relist found the pod missing.
	finalStateUnknown bool
}

// playedNodeEvent is on its way from the API server to the informer.
type playedNodeEvent struct {
	kind string
	node *v1.Node
}

// playedChange is what a handler of pods has still to hear.
type playedChange struct {
	old, new          *v1.Pod
	finalStateUnknown bool
}

// playedAttempt is one try to place a pod: the cycle, then the goroutine of the binding.
type playedAttempt struct {
	pod *v1.Pod
	// The node on which the pod fits, and the node to which a failure will nominate it.
	node, nominates string
	gate            string
	// What ends the wait at the gate: how the step goes.
	goOn chan map[string]string
	// The goroutine of the cycle; whether the attempt stands at a gate of this goroutine, and not of the binding's.
	cycle   string
	inCycle bool
	// The goroutine of the binding, "" before it begins.
	binding string
	// Whether ScheduleOne has returned; whether the pod fits, so that a binding follows.
	returned, fits bool
	// Whether this is a goroutine of the error function, which brings the pod back into the queue (up to 1.18).
	retry bool
	// Whether a victim was deleted; whether the plugin at Reserve has reserved.
	deleting, reserved bool
	// What the goroutine of the binding receives from, where it cannot be held before it does; what it has received, if it
	// is held after that.
	listens playedWaitingPod
	told    string
	// With hints: how the attempt fails, "" if it does not; whether Done was called; whether no plugin at Permit makes the
	// binding wait any more, and PreBind has not begun; whether the failure is handled.
	outcome                  string
	done, permitted, failing bool
	// Whether the pod is rejected while it waits at Permit, and is assumed: a move of others comes last.
	movesOthers bool
}

// playedScheduler is the scheduler and the world around it.
type playedScheduler struct {
	scope    playedScope
	sched    *Scheduler
	stop     context.CancelFunc
	extender *httptest.Server
	property observedProperty

	// mu guards all below while a goroutine of the scheduler moves.
	mu sync.Mutex

	pods                      map[string]*v1.Pod
	nodes                     map[string]*v1.Node
	incarnations              map[string]int
	version                   int
	podWatch                  []playedPodEvent
	nodeWatch                 []playedNodeEvent
	podInformer, nodeInformer cache.SharedIndexInformer
	reflector                 *playedReflector
	// The handlers of pods: of those with a node, and of those without.
	podHandlers []cache.ResourceEventHandler
	// What each of them has still to hear, with listeners.
	backlog [2][]playedChange

	attempts []*playedAttempt
	moving   *playedAttempt
	ended    bool
	// How many goroutines of the error function have still to ask for their pod.
	retries int
	crashed string
	// How many FailedScheduling events were made for each UID.
	failures map[string]int
	// How often each action was taken.
	used map[string]int
	// The UIDs of pods that an extender has bound.
	boundByExtender map[string]bool
	// By UID: the pods that preemption has deleted, and the UID of the pod that it made room for.
	victims map[string]string
	// By UID: the node on which the plugin at Reserve holds something for the pod.
	reserved map[string]string
	// The UIDs of pods that the scheduler says that it has preempted.
	preempted map[string]bool
	// How many plugins have the next pod wait at Permit.
	waits int
	// By UID: how many plugins have still to allow the pod, where nobody but the plugins knows.
	pending map[types.UID]int
	// What a request to patch the status of a pod waits for; nil: for nothing.
	patches chan struct{}
	// With hints: the plugins whose conditions hold.
	holds map[string]bool
	// In runs of async-preemption: the preemptions that run.
	preemptions playedPreemptions
	// In runs of api-calls: the call in flight.
	calls playedCalls
	playedRun
}

// playedAPI is the API server, as far as the scheduler asks it; anything else is a nil pointer.
type playedAPI struct {
	clientset.Interface
	k *playedScheduler
}

func (c *playedAPI) CoreV1() typedcorev1.CoreV1Interface { return &playedCore{k: c.k} }

type playedCore struct {
	typedcorev1.CoreV1Interface
	k *playedScheduler
}

func (c *playedCore) Pods(string) typedcorev1.PodInterface { return &playedPods{k: c.k} }

type playedPods struct {
	typedcorev1.PodInterface
	k *playedScheduler
}

// newPlayedScheduler starts a scheduler on nodes without pods.
func newPlayedScheduler(t *testing.T, scope playedScope, run playedRun) *playedScheduler {
	if run.Bug != "" {
		playedAlone(t)
	}
	k := &playedScheduler{
		scope: scope, playedRun: run,
		pods: map[string]*v1.Pod{}, nodes: map[string]*v1.Node{}, incarnations: map[string]int{},
		failures: map[string]int{}, used: map[string]int{}, boundByExtender: map[string]bool{},
		victims: map[string]string{}, reserved: map[string]string{}, preempted: map[string]bool{},
		pending: map[types.UID]int{}, holds: map[string]bool{},
		nodeInformer: playedInformer(nil, &v1.Node{}),
	}
	k.playedRun.t = t
	k.must(k.switchHints())
	if scope.reflector {
		k.reflector = newPlayedReflector(k)
		k.podInformer = playedInformer(k.reflector, &v1.Pod{})
	} else {
		k.podInformer = playedInformer(nil, &v1.Pod{})
	}
	k.notePanics()
	client := &playedAPI{k: k}
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.InformerFor(&v1.Pod{}, func(clientset.Interface, time.Duration) cache.SharedIndexInformer { return k.podInformer })
	factory.InformerFor(&v1.Node{}, func(clientset.Interface, time.Duration) cache.SharedIndexInformer { return k.nodeInformer })
	k.extender = httptest.NewServer(http.HandlerFunc(k.answerExtender))
	ctx, cancel := context.WithCancel(context.Background())
	k.stop = cancel
	sched, err := startPlayed(ctx, k, client, factory)
	if err != nil {
		t.Fatal(err)
	}
	k.sched = sched
	k.hold()
	k.podHandlers = k.handlersOfPods()
	t.Cleanup(k.end)
	if scope.reflector {
		k.must(k.reflector.run(ctx.Done()))
	}
	for i := 1; i <= scope.nodes-scope.lateNodes; i++ {
		k.addNode(fmt.Sprintf("n%d", i))
		k.must(k.deliverNode())
	}
	for i := scope.pods - scope.boundAtStart + 1; i <= scope.pods; i++ {
		name := fmt.Sprintf("p%d", i)
		k.createPod(name)
		k.podWatch = nil
		k.pods[name].Spec.NodeName = fmt.Sprintf("n%d", (i-1)%scope.nodes+1)
		pod := k.pods[name].DeepCopy()
		k.must(k.podInformer.GetIndexer().Add(pod))
		k.tell(playedChange{new: pod})
	}
	if scope.victims > 0 {
		k.beginPreemption()
	}
	if scope.calls {
		k.beginCalls()
	}
	return k
}

// playedInformer does not run, unless it has a reflector: the world changes its store and calls its handlers.
func playedInformer(watched cache.ListerWatcher, object apiruntime.Object) cache.SharedIndexInformer {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	return cache.NewSharedIndexInformer(watched, object, 0, indexers)
}

// end reports, if a kept run is played, and lets every goroutine go.
func (k *playedScheduler) end() {
	if k.Bug != "" {
		k.report()
	}
	k.close()
}

// close lets every goroutine go. A process that has ended lets nothing go.
func (k *playedScheduler) close() {
	if k.ended || k.crashed != "" {
		return
	}
	k.stop()
	k.sched.SchedulingQueue.Close()
	k.mu.Lock()
	k.ended = true
	for _, a := range k.attempts {
		if a.gate != "" {
			close(a.goOn)
		}
	}
	k.preemptions.letGo()
	k.calls.letGo()
	k.mu.Unlock()
	k.extender.CloseClientConnections()
}

func (k *playedScheduler) must(err error) {
	if err != nil {
		k.playedRun.t.Fatal(err)
	}
}

// --- the API server -------------------------------------------------------------------------------------------------

func (k *playedScheduler) addNode(name string) {
	number, _ := strconv.Atoi(name[1:])
	labels := map[string]string{v1.LabelHostname: name}
	if k.scope.zones > 0 {
		labels["topology.kubernetes.io/zone"] = fmt.Sprintf("z%d", (number-1)*k.scope.zones/k.scope.nodes+1)
	}
	room := v1.ResourceList{
		v1.ResourceCPU:  *resource.NewMilliQuantity(int64(1000*k.scope.room), resource.DecimalSI),
		v1.ResourcePods: *resource.NewQuantity(110, resource.DecimalSI),
	}
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: labels}}
	node.Status = v1.NodeStatus{Capacity: room, Allocatable: room}
	k.writeNode(node, "add")
}

func (k *playedScheduler) writeNode(node *v1.Node, kind string) {
	k.version++
	node.ResourceVersion = strconv.Itoa(k.version)
	k.nodes[node.Name] = node
	k.nodeWatch = append(k.nodeWatch, playedNodeEvent{kind, node.DeepCopy()})
}

func (k *playedScheduler) createPod(name string) {
	number, _ := strconv.Atoi(name[1:])
	k.incarnations[name]++
	var priority int32
	if number <= k.scope.high {
		priority++
	}
	if number <= k.scope.top {
		priority++
	}
	milli := int64(1000)
	if number > k.scope.pods-k.scope.big {
		milli = 2000
	}
	requests := v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(milli, resource.DecimalSI)}
	uid := types.UID(fmt.Sprintf("%s#%d", name, k.incarnations[name]))
	scheduler := v1.DefaultSchedulerName
	if k.incarnations[name] > 1 && number > k.scope.pods-k.scope.unknownProfile {
		scheduler = playedOtherScheduler
	}
	k.writePod(&v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: playedNamespace, UID: uid},
		Spec: v1.PodSpec{
			SchedulerName: scheduler,
			Priority:      &priority,
			Containers: []v1.Container{{
				Name: "c", Image: "image", Resources: v1.ResourceRequirements{Requests: requests},
			}},
		},
	})
}

// playedDecoded is the object as an informer has it: two objects that are equal have the same fields.
func playedDecoded(pod *v1.Pod) *v1.Pod {
	text, err := json.Marshal(pod)
	decoded := &v1.Pod{}
	if err == nil {
		err = json.Unmarshal(text, decoded)
	}
	if err != nil {
		panic(err)
	}
	return decoded
}

// writePod stores the pod, and sends an event.
func (k *playedScheduler) writePod(pod *v1.Pod) {
	pod = playedDecoded(pod)
	kind := "update"
	if k.pods[pod.Name] == nil {
		kind = "add"
	}
	k.version++
	pod.ResourceVersion = strconv.Itoa(k.version)
	k.pods[pod.Name] = pod
	k.podWatch = append(k.podWatch, playedPodEvent{kind: kind, pod: pod.DeepCopy()})
}

func (k *playedScheduler) removePod(name string) {
	k.podWatch = append(k.podWatch, playedPodEvent{kind: "delete", pod: k.pods[name].DeepCopy()})
	delete(k.pods, name)
}

func (k *playedScheduler) deletePod(name string) error {
	pod := k.pods[name]
	if pod == nil {
		return apierrors.NewNotFound(playedResource, name)
	}
	// In runs of queueing-hints a finalizer keeps the pod.
	terminates := k.scope.graceful && (pod.Spec.NodeName != "" || k.scope.hints)
	if !terminates && !(k.scope.blockedDeletes && len(pod.Finalizers) > 0) {
		k.removePod(name)
	} else if pod.DeletionTimestamp == nil {
		pod = pod.DeepCopy()
		now := metav1.Now()
		pod.DeletionTimestamp = &now
		k.writePod(pod)
	}
	return nil
}

// deleteVictim is a DELETE by the scheduler.
func (k *playedScheduler) deleteVictim(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if pod := k.pods[name]; pod != nil && k.moving != nil {
		k.victims[string(pod.UID)] = string(k.moving.pod.UID)
	}
	return k.deletePod(name)
}

// bindPod is what the API server does with a Binding.
func (k *playedScheduler) bindPod(name string, uid types.UID, node string) error {
	pod := k.pods[name]
	if pod == nil {
		return apierrors.NewNotFound(playedResource, name)
	}
	if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || pod.UID != uid && !k.scope.bindsAnyUID {
		return apierrors.NewConflict(playedResource, name, errors.New("the pod is bound, is deleted, or has another UID"))
	}
	pod = pod.DeepCopy()
	pod.Spec.NodeName = node
	if k.scope.clearsNomination {
		pod.Status.NominatedNodeName = ""
	}
	kept := playedWithout(pod.Status.Conditions, v1.PodScheduled)
	pod.Status.Conditions = append(kept, v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionTrue})
	k.writePod(pod)
	return nil
}

// postBinding is the POST of a Binding, as the action says that it goes.
func (k *playedScheduler) postBinding(binding *v1.Binding, reply string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch reply {
	case "refused":
		return errors.New("the request does not arrive")
	case "node not found":
		return apierrors.NewNotFound(v1.Resource("node"), binding.Target.Name)
	}
	err := k.bindPod(binding.Name, binding.UID, binding.Target.Name)
	if err == nil && reply == "lost" {
		return errors.New("the answer does not come")
	}
	return err
}

// playedTarget is the condition of a victim.
const playedTarget = v1.PodConditionType("DisruptionTarget")

func playedIsTarget(pod *v1.Pod) bool {
	return len(playedWithout(pod.Status.Conditions, playedTarget)) < len(pod.Status.Conditions)
}

func playedWithout(conditions []v1.PodCondition, kind v1.PodConditionType) []v1.PodCondition {
	var kept []v1.PodCondition
	for _, each := range conditions {
		if each.Type != kind {
			kept = append(kept, each)
		}
	}
	return kept
}

// playedCondition is "PodScheduled=False", or "".
func playedCondition(pod *v1.Pod) string {
	for _, each := range pod.Status.Conditions {
		if each.Type == v1.PodScheduled && each.Status == v1.ConditionFalse {
			return "PodScheduled=False"
		}
	}
	return ""
}

// patchStatus applies a patch.
func (k *playedScheduler) patchStatus(name string, patch []byte) (*v1.Pod, error) {
	if k.patches != nil {
		<-k.patches
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	pod := k.pods[name]
	if pod == nil {
		return nil, apierrors.NewNotFound(playedResource, name)
	}
	before, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, v1.Pod{})
	if err != nil {
		return nil, err
	}
	patched := &v1.Pod{}
	if err := json.Unmarshal(after, patched); err != nil {
		return nil, err
	}
	k.changeStatus(patched)
	return patched, nil
}

// changeStatus stores the pod with another status. No event comes of a change of no more than a message or another
// condition, since runs have none there: the next event of the pod has the change.
func (k *playedScheduler) changeStatus(to *v1.Pod) {
	pod := k.pods[to.Name]
	same := to.Status.NominatedNodeName == pod.Status.NominatedNodeName && playedIsTarget(to) == playedIsTarget(pod)
	if same && playedCondition(to) == playedCondition(pod) && k.sameForCalls(to, pod) {
		k.pods[to.Name] = to
	} else {
		k.writePod(to)
	}
}

// putStatus is a PUT of the status: refused, if the object is not the newest one.
func (k *playedScheduler) putStatus(pod *v1.Pod) (*v1.Pod, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	current, err := k.get(pod.Name)
	if err != nil {
		return nil, err
	}
	if current.UID != pod.UID || current.ResourceVersion != pod.ResourceVersion {
		return nil, apierrors.NewConflict(playedResource, pod.Name, errors.New("the object has been modified"))
	}
	current.Status = *pod.Status.DeepCopy()
	k.changeStatus(current)
	return current, nil
}

// playedAllocated is the annotation that the extender with the verb Filter writes.
const playedAllocated = "gpu"

// answerExtender is an extender: with the verb Bind, or with the verb Filter.
func (k *playedScheduler) answerExtender(answer http.ResponseWriter, request *http.Request) {
	for verb, text := range k.scope.answers {
		if strings.HasSuffix(request.URL.Path, "/"+verb) {
			_, _ = answer.Write([]byte(text))
			return
		}
	}
	if strings.HasSuffix(request.URL.Path, "/filter") {
		k.answerFilter(answer, request)
		return
	}
	args := playedBindingArgs{}
	if err := json.NewDecoder(request.Body).Decode(&args); err != nil {
		panic(err)
	}
	reply := k.gate("bind_by_extender")["reply"]
	binding := &v1.Binding{ObjectMeta: metav1.ObjectMeta{Name: args.PodName, UID: args.PodUID}}
	binding.Target.Name = args.Node
	result := playedBindingResult{}
	if reply != "refused" {
		if err := k.postBinding(binding, ""); err != nil {
			result.Error = err.Error()
		} else {
			k.mu.Lock()
			k.boundByExtender[string(args.PodUID)] = true
			k.mu.Unlock()
		}
	}
	if reply != "" {
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(answer).Encode(result)
}

// answerFilter keeps the nodes, and writes an annotation to the pod. A pod that has the annotation fits nowhere.
func (k *playedScheduler) answerFilter(answer http.ResponseWriter, request *http.Request) {
	args := playedFilterArgs{}
	if err := json.NewDecoder(request.Body).Decode(&args); err != nil {
		panic(err)
	}
	result := playedFilterResult{Nodes: args.Nodes, NodeNames: args.NodeNames}
	k.mu.Lock()
	defer k.mu.Unlock()
	if args.Pod.Annotations[playedAllocated] != "" {
		result = playedFilterResult{Nodes: &v1.NodeList{}, NodeNames: &[]string{}}
	} else if pod := k.pods[args.Pod.Name]; pod != nil && pod.UID == args.Pod.UID {
		pod = pod.DeepCopy()
		pod.Annotations = map[string]string{playedAllocated: "0"}
		if note := k.pods[args.Pod.Name].Annotations["note"]; note != "" {
			pod.Annotations["note"] = note
		}
		k.writePod(pod)
	}
	_ = json.NewEncoder(answer).Encode(result)
}

// --- the informers --------------------------------------------------------------------------------------------------

// playedField reads a field that a package keeps to itself: the first of the names that there is.
func playedField(of interface{}, names ...string) interface{} {
	return playedPlace(of, names).Interface()
}

// playedSet writes to such a field.
func playedSet(of interface{}, name string, value interface{}) {
	playedPlace(of, []string{name}).Set(reflect.ValueOf(value))
}

func playedPlace(of interface{}, names []string) reflect.Value {
	v := reflect.ValueOf(of)
	for v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	for _, name := range names {
		if f := v.FieldByName(name); f.IsValid() {
			return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		}
	}
	panic(fmt.Sprintf("%s has none of the fields %v", v.Type(), names))
}

// playedHas says whether a map or a set in such a field has the key.
func playedHas(of interface{}, name, key string) bool {
	return reflect.ValueOf(playedField(of, name)).MapIndex(reflect.ValueOf(key)).IsValid()
}

// playedHandlers are the handlers that were added to an informer, which does not run.
func playedHandlers(informer cache.SharedIndexInformer) []cache.ResourceEventHandler {
	listeners := reflect.ValueOf(playedField(playedField(informer, "processor"), "listeners"))
	var found []cache.ResourceEventHandler
	add := func(listener reflect.Value) {
		found = append(found, playedField(listener.Interface(), "handler").(cache.ResourceEventHandler))
	}
	if listeners.Kind() == reflect.Map {
		for _, key := range listeners.MapKeys() {
			add(key)
		}
		return found
	}
	for i := 0; i < listeners.Len(); i++ {
		add(listeners.Index(i))
	}
	return found
}

// handlersOfPods gives the handler of pods with a node, then that of pods without. From 1.35 on one handler hears of all
// pods: it stands in the first place, and nothing in the second.
func (k *playedScheduler) handlersOfPods() []cache.ResourceEventHandler {
	found := make([]cache.ResourceEventHandler, 2)
	bound := &v1.Pod{Spec: v1.PodSpec{NodeName: "n1", SchedulerName: v1.DefaultSchedulerName}}
	for _, handler := range playedHandlers(k.podInformer) {
		switch each := handler.(type) {
		case cache.FilteringResourceEventHandler:
			if each.FilterFunc(bound) {
				found[0] = each
			} else {
				found[1] = each
			}
		case cache.ResourceEventHandlerFuncs:
			found[0] = each
			if k.scope.listeners {
				_ = k.impossible("one handler hears of all pods, and the run has two")
			}
		default:
			k.playedRun.t.Fatalf("a handler of pods is a %T", handler)
		}
	}
	return found
}

// playedAdd calls OnAdd, which says from 1.27 on whether the object was there at the start.
func playedAdd(handler cache.ResourceEventHandler, object interface{}) {
	switch h := interface{}(handler).(type) {
	case interface{ OnAdd(interface{}, bool) }:
		h.OnAdd(object, false)
	case interface{ OnAdd(interface{}) }:
		h.OnAdd(object)
	}
}

func (k *playedScheduler) known(name string) *v1.Pod {
	object, exists, _ := k.podInformer.GetIndexer().GetByKey(playedNamespace + "/" + name)
	if !exists {
		return nil
	}
	return object.(*v1.Pod)
}

func (k *playedScheduler) deliverPod() error {
	if len(k.podWatch) == 0 {
		return errors.New("no event of a pod is on its way")
	}
	event := k.podWatch[0]
	k.podWatch = k.podWatch[1:]
	if k.reflector != nil {
		return k.reflector.deliver(event)
	}
	if change, is := k.store(event); is {
		k.tell(change)
	}
	return nil
}

// store brings an event into the informer's store. is: whether this is a change, which handlers have to hear.
func (k *playedScheduler) store(event playedPodEvent) (change playedChange, is bool) {
	old, store := k.known(event.pod.Name), k.podInformer.GetIndexer()
	if event.kind != "delete" {
		k.must(store.Update(event.pod))
		return playedChange{old: old, new: event.pod}, true
	}
	if old == nil {
		return playedChange{}, false
	}
	k.must(store.Delete(event.pod))
	return playedChange{old: event.pod, finalStateUnknown: event.finalStateUnknown}, true
}

// tell has each handler hear of a change: at once, or with listeners when the handler's action comes.
func (k *playedScheduler) tell(change playedChange) {
	for at := range k.backlog {
		k.backlog[at] = append(k.backlog[at], change)
		if !k.scope.listeners {
			k.must(k.handle(at))
		}
	}
}

// handle has a handler of pods hear of the oldest change that it has not heard of.
func (k *playedScheduler) handle(at int) error {
	if len(k.backlog[at]) == 0 {
		return errors.New("the handler has nothing to hear")
	}
	change := k.backlog[at][0]
	k.backlog[at] = k.backlog[at][1:]
	k.hear(at, change)
	return nil
}

// hear has a handler of pods hear of a change.
func (k *playedScheduler) hear(at int, change playedChange) {
	handler := k.podHandlers[at]
	if handler == nil {
		return
	}
	k.guarded(func() {
		switch {
		case change.new == nil && change.finalStateUnknown:
			key := playedNamespace + "/" + change.old.Name
			handler.OnDelete(cache.DeletedFinalStateUnknown{Key: key, Obj: change.old})
		case change.new == nil:
			handler.OnDelete(change.old)
		case change.old == nil:
			playedAdd(handler, change.new)
		default:
			handler.OnUpdate(change.old, change.new)
		}
	})
}

func (k *playedScheduler) deliverNode() error {
	if len(k.nodeWatch) == 0 {
		return errors.New("no event of a node is on its way")
	}
	event := k.nodeWatch[0]
	k.nodeWatch = k.nodeWatch[1:]
	store := k.nodeInformer.GetIndexer()
	old, exists, _ := store.GetByKey(event.node.Name)
	if event.kind == "delete" {
		k.must(store.Delete(event.node))
	} else {
		k.must(store.Update(event.node))
	}
	if !exists && k.scope.antiAffinity {
		playedAdd(k.podHandlers[0], playedOther(event.node.Name))
	}
	for _, handler := range playedHandlers(k.nodeInformer) {
		handler := handler
		k.guarded(func() {
			switch {
			case event.kind == "delete":
				handler.OnDelete(event.node)
			case exists:
				handler.OnUpdate(old, event.node)
			default:
				playedAdd(handler, event.node)
			}
		})
	}
	return nil
}

// playedOther is a pod of others on the node. It asks for nothing, and keeps pods with the label app=1 away.
func playedOther(node string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "other-" + node, Namespace: "others", UID: types.UID("other-" + node)}}
	pod.Spec.NodeName = node
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "1"}},
			Namespaces:    []string{playedNamespace},
			TopologyKey:   v1.LabelHostname,
		}},
	}}
	return pod
}

// relist compares a new list of the pods with the store: the differences, in this order, are the events from now on.
func (k *playedScheduler) relist(order []string) {
	k.podWatch = nil
	known := map[string]bool{}
	for _, object := range k.podInformer.GetIndexer().List() {
		pod := object.(*v1.Pod)
		known[pod.Name] = true
		if now := k.pods[pod.Name]; now == nil {
			k.podWatch = append(k.podWatch, playedPodEvent{"delete", pod, true})
		} else if now.ResourceVersion != pod.ResourceVersion {
			k.podWatch = append(k.podWatch, playedPodEvent{kind: "update", pod: now.DeepCopy()})
		}
	}
	for name, pod := range k.pods {
		if !known[name] {
			k.podWatch = append(k.podWatch, playedPodEvent{kind: "add", pod: pod.DeepCopy()})
		}
	}
	rank := map[string]int{}
	for at, name := range order {
		rank[name] = at
	}
	sort.Slice(k.podWatch, func(i, j int) bool { return rank[k.podWatch[i].pod.Name] < rank[k.podWatch[j].pod.Name] })
}

// --- the goroutines of the scheduler --------------------------------------------------------------------------------

// playedAround has `before` called with the arguments and `after` with the results of a function that a field holds.
// `after` may change the results.
func playedAround(field interface{}, before, after func(values []reflect.Value)) {
	holder := reflect.ValueOf(field).Elem()
	real := reflect.ValueOf(holder.Interface())
	holder.Set(reflect.MakeFunc(holder.Type(), func(arguments []reflect.Value) []reflect.Value {
		if before != nil {
			before(arguments)
		}
		results := real.Call(arguments)
		if after != nil {
			after(results)
		}
		return results
	}))
}

// scheduled is called when the search has found room for the pod on `found` nodes. It gives the node to which the pod
// goes: `host`, if the action does not say otherwise.
func (k *playedScheduler) scheduled(host string, found int) string {
	k.note(func(a *playedAttempt) { a.fits, a.node = true, host })
	// Go draws lots among nodes of the same score. All nodes are alike here: if each has room, the action says which one.
	node := k.gate(k.firstAfterSearch())["node"]
	if listed := k.listed(); found == listed.Len() {
		for i := 0; i < found; i++ {
			if listed.Index(i).Interface().(*playedNodeInfo).Node().Name == node {
				k.note(func(a *playedAttempt) { a.node = node })
				return node
			}
		}
	}
	return host
}

// listed has the nodes of the snapshot of the last scheduling cycle.
func (k *playedScheduler) listed() reflect.Value {
	return reflect.ValueOf(playedField(k.snapshot(), "nodeInfoList", "NodeInfoList"))
}

// firstAfterSearch is the step that says to which node the pod goes.
func (k *playedScheduler) firstAfterSearch() string {
	switch {
	case k.scope.volumes:
		return "assume_volumes"
	case k.scope.reserves > 0:
		return "reserve"
	}
	return "assume"
}

// reserve is what the plugin at Reserve does.
func (k *playedScheduler) reserve(uid types.UID, node string) {
	if k.scope.reserves == 0 {
		return
	}
	if k.firstAfterSearch() != "reserve" {
		k.gate("reserve")
	}
	k.note(func(a *playedAttempt) { a.reserved, k.reserved[string(uid)] = true, node })
}

// unreserve is what the plugin at Reserve does when it is asked to give back what it holds.
func (k *playedScheduler) unreserve(uid types.UID, node string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reserved[string(uid)] == node {
		delete(k.reserved, string(uid))
	}
}

// unplaced is called when the search ends with an error. If the pod fits nowhere, plugins may preempt.
func (k *playedScheduler) unplaced(err error) {
	if _, fitError := err.(*playedFitError); fitError && k.scope.preemption {
		k.gate("post_filter")
	}
}

// waitsNow says whether the plugin at Permit that is asked has the pod wait.
func (k *playedScheduler) waitsNow() bool {
	k.waits--
	return k.waits >= 0
}

// receives says whether the goroutine of the binding waits to be told what the plugins at Permit decide.
func (a *playedAttempt) receives() bool {
	if a.listens == nil || a.told != "" {
		return false
	}
	stacks := playedStacks()
	return strings.Contains(stacks, a.binding+" [select") || strings.Contains(stacks, a.binding+" [chan receive")
}

// awaitTold waits until a goroutine that was told what the plugins at Permit decide is held.
func (k *playedScheduler) awaitTold() {
	for end := time.Now().Add(playedPatience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		k.mu.Lock()
		under := false
		for _, a := range k.attempts {
			under = under || a.listens != nil && a.gate == "" && !a.receives()
		}
		k.mu.Unlock()
		if !under {
			return
		}
	}
}

// waitingFor is what plugins at Permit have of the pod: nil, if it does not wait.
func (k *playedScheduler) waitingFor(uid types.UID) playedWaitingPod {
	for _, a := range k.attempts {
		if a.listens != nil && a.pod.UID == uid {
			return a.listens
		}
	}
	return k.waitingPod(uid)
}

// popped is called when a pod is popped.
func (k *playedScheduler) popped(pod *v1.Pod) {
	k.note(func(a *playedAttempt) { a.pod = pod })
	outcome := k.gate("schedule")["outcome"]
	k.note(func(a *playedAttempt) { a.outcome = outcome })
}

// nominates says to which node the failure of the attempt that moves will nominate the pod.
func (k *playedScheduler) nominates(node string) {
	k.note(func(a *playedAttempt) { a.nominates = node })
}

// retry has a goroutine of the error function look the pod up, and hold it before the pod is brought back.
func (k *playedScheduler) retry(name string) (*v1.Pod, error) {
	a := &playedAttempt{
		pod: &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}, goOn: make(chan map[string]string),
		binding: playedGoroutine(), returned: true, retry: true,
	}
	k.mu.Lock()
	k.attempts = append(k.attempts, a)
	k.mu.Unlock()
	k.begins(a)
	k.mu.Lock()
	pod, err := k.get(name)
	k.mu.Unlock()
	if err == nil && pod.Spec.NodeName == "" {
		k.stand(a, "add_unschedulable")
	}
	return pod, err
}

// begins holds a goroutine of the error function before its request.
func (k *playedScheduler) begins(a *playedAttempt) {
	k.mu.Lock()
	if k.ended {
		k.mu.Unlock()
		return
	}
	a.gate = "get_pod"
	k.retries--
	k.mu.Unlock()
	<-a.goOn
}

// get is the answer to a GET of a pod.
func (k *playedScheduler) get(name string) (*v1.Pod, error) {
	pod := k.pods[name]
	if pod == nil {
		return nil, apierrors.NewNotFound(playedResource, name)
	}
	return pod.DeepCopy(), nil
}

// happened notes an event of the scheduler.
func (k *playedScheduler) happened(reason string, regarding apiruntime.Object) {
	pod, is := regarding.(*v1.Pod)
	if !is {
		return
	}
	if reason == "FailedScheduling" {
		k.beforePatch()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch reason {
	case "FailedScheduling":
		k.failures[string(pod.UID)]++
	case "Preempted":
		k.preempted[string(pod.UID)] = true
	}
}

// failed is called when the pod is back in the queue, or given up: no binding follows.
func (k *playedScheduler) failed() {
	k.note(func(a *playedAttempt) { a.fits = false })
}

// gate stops the goroutine that moves until an action has it go on, and says how.
func (k *playedScheduler) gate(step string) map[string]string { return k.stand(k.moving, step) }

// stand stops the goroutine that runs, which is one of the attempt.
func (k *playedScheduler) stand(a *playedAttempt, step string) map[string]string {
	k.mu.Lock()
	if a == nil || k.ended || k.scope.skips(step) {
		k.mu.Unlock()
		return nil
	}
	a.gate, a.inCycle = step, playedGoroutine() == a.cycle
	k.mu.Unlock()
	return <-a.goOn
}

// note says something of the attempt that moves.
func (k *playedScheduler) note(change func(*playedAttempt)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.moving != nil {
		change(k.moving)
	}
}

// inBinding notes that the goroutine that runs is that of the binding.
func (k *playedScheduler) inBinding() {
	k.note(func(a *playedAttempt) {
		if name := playedGoroutine(); name != a.cycle {
			a.binding = name
		}
	})
}

// settle waits until the attempt stands at a gate or is over: the goroutines of its cycle and of its binding are gone.
func (k *playedScheduler) settle(a *playedAttempt) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer func() { k.moving = nil }()
	for end := time.Now().Add(playedPatience); time.Now().Before(end); {
		switch {
		case k.crashed != "":
			return nil
		case !k.quiet() || k.retries != 0:
		case a.gate != "" && (a.returned || a.inCycle), a.returned && (a.receives() || k.asksToBind(a)):
			return nil
		case a.gate == "" && a.returned && (a.binding == "" && !a.fits || a.binding != "" && !playedRuns(a.binding)):
			for at, each := range k.attempts {
				if each == a {
					k.attempts = append(k.attempts[:at:at], k.attempts[at+1:]...)
				}
			}
			return nil
		}
		k.mu.Unlock()
		time.Sleep(time.Millisecond)
		k.mu.Lock()
	}
	return fmt.Errorf("the attempt of %s does not go on", a.pod.Name)
}

// attemptOf is the attempt of the pod, nil if there is none.
func (k *playedScheduler) attemptOf(name string) *playedAttempt {
	for _, a := range k.attempts {
		if a.pod.Name == name {
			return a
		}
	}
	return nil
}

// quiet says whether no goroutine works on an attempt, beside that of its cycle and that of its binding.
func (k *playedScheduler) quiet() bool {
	if k.scope.victims > 0 {
		return k.preemptionsStand()
	}
	return playedQuiet()
}

// pop starts a scheduling cycle.
func (k *playedScheduler) pop(name string) error {
	k.awaitFlush()
	if active, _, _ := k.queued(); len(active) == 0 {
		return errors.New("no pod is in activeQ")
	}
	a := &playedAttempt{pod: &v1.Pod{}, goOn: make(chan map[string]string)}
	for _, other := range k.attempts {
		if !other.returned {
			return fmt.Errorf("the scheduling cycle of %s is not over", other.pod.Name)
		}
	}
	k.mu.Lock()
	k.attempts, k.moving = append(k.attempts, a), a
	k.mu.Unlock()
	go func() {
		defer func() {
			k.crash(recover())
			k.note(func(*playedAttempt) { a.returned = true })
		}()
		k.note(func(a *playedAttempt) { a.cycle = playedGoroutine() })
		k.scheduleOne()
	}()
	if err := k.settle(a); err != nil {
		return err
	}
	if name != "" && a.pod.Name != name {
		return fmt.Errorf("%s is popped, not %s", a.pod.Name, name)
	}
	return nil
}

// goOn has the pod's goroutine that stands at a gate go on to the next one.
func (k *playedScheduler) goOn(step string, how map[string]string) error {
	var found *playedAttempt
	for _, a := range k.attempts {
		// Of several goroutines of a pod the action names the object that the goroutine has.
		if a.pod.Name == how["pod"] && a.gate == step && (how["of"] == "" || observedOf(a.pod).text == how["of"]) {
			found = a
		}
	}
	if found == nil {
		return fmt.Errorf("no goroutine of %s stands there", how["pod"])
	}
	if node := how["node"]; step != "assume" && node != "" && found.node != "" && found.node != node {
		return fmt.Errorf("%s goes to %s, not to %s", how["pod"], found.node, node)
	}
	k.mu.Lock()
	found.gate, k.moving = "", found
	k.mu.Unlock()
	found.goOn <- how
	return k.settle(found)
}

// playedGoroutine names the goroutine that runs, as "goroutine 7".
func playedGoroutine() string {
	text := make([]byte, 64)
	text = text[:runtime.Stack(text, false)]
	return strings.SplitN(string(text), " [", 2)[0]
}

// playedStacks has the stacks of all goroutines.
func playedStacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}

// playedRuns says whether the goroutine of this name runs.
func playedRuns(name string) bool { return strings.Contains(playedStacks(), name+" [") }

// guarded runs a handler: a panic ends the scheduler's process.
func (k *playedScheduler) guarded(run func()) {
	defer func() { k.crash(recover()) }()
	run()
}

func (k *playedScheduler) crash(why interface{}) {
	if why == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.crashed == "" {
		k.crashed = fmt.Sprint(why)
		fmt.Fprintf(os.Stderr, "the scheduler ends: %v\n", why)
	}
}

// playedFatal calls a function in place of writing: klog writes here only when it is about to end the process.
type playedFatal func()

func (f playedFatal) Write(text []byte) (int, error) {
	f()
	return len(text), nil
}

// playedAlone has an end of the process by klog be a panic, which is noted. If klog is locked after this, the test is
// played in a process of its own, since the next one could not log.
func playedAlone(t *testing.T) {
	locked := playedExits(func() { panic("klog ends the process") })
	if !locked || os.Getenv("KUBEPROOF_ALONE") != "" {
		return
	}
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "0")
	child.Env = append(os.Environ(), "KUBEPROOF_ALONE=1")
	said, err := child.CombinedOutput()
	t.Logf("in a process of its own:\n%s", said)
	if err != nil {
		t.FailNow()
	}
	t.SkipNow()
}

// notePanics has a panic in a worker of the scheduler, which ends its process, be noted; the test goes on.
func (k *playedScheduler) notePanics() {
	utilruntime.ReallyCrash = false
	handlers := reflect.ValueOf(&utilruntime.PanicHandlers).Elem()
	note := reflect.MakeFunc(handlers.Type().Elem(), func(arguments []reflect.Value) []reflect.Value {
		k.crash(arguments[len(arguments)-1].Interface())
		return nil
	})
	// Before the handler that logs: klog may be locked.
	first := reflect.Append(reflect.MakeSlice(handlers.Type(), 0, 1), note)
	handlers.Set(reflect.AppendSlice(first, handlers))
}

// awaitFlush waits until the queue has moved the pods whose backoff is over, which it does once a second: all backoffs
// are 0 here.
func (k *playedScheduler) awaitFlush() {
	for end := time.Now().Add(playedPatience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, backoff, _ := k.queued(); len(backoff) == 0 {
			return
		}
	}
}

// --- the actions of a run -------------------------------------------------------------------------------------------

// do takes an action: its name, then names and values of its arguments.
func (k *playedScheduler) do(name string, arguments ...string) {
	k.playedRun.t.Helper()
	args := map[string]string{}
	for i := 0; i+1 < len(arguments); i += 2 {
		args[arguments[i]] = arguments[i+1]
	}
	before := k.observe()
	k.take(strings.Join(append([]string{name}, arguments...), " "), func() error {
		if err := k.act(name, args); err != nil {
			return k.impossible(err.Error())
		}
		k.used[name]++
		return nil
	}, func(error) string {
		if k.property == nil {
			return ""
		}
		return k.property(before, observedAction{name, args}, k.observe())
	})
}

// act does what the action says. An error says that the action cannot be taken here.
func (k *playedScheduler) act(name string, args map[string]string) error {
	if k.crashed != "" {
		return fmt.Errorf("the scheduler's process has ended: %s", k.crashed)
	}
	if taken, err := k.actWithHints(name, args); taken {
		return err
	}
	if k.scope.victims > 0 {
		return k.actOfPreemption(name, args)
	}
	if k.scope.calls {
		return k.actOfCalls(name, args)
	}
	pod, node := k.pods[args["pod"]], k.nodes[args["node"]]
	switch name {
	case "create_pod", "recreate_pod":
		k.createPod(args["pod"])
		return nil
	case "add_node":
		k.addNode(args["node"])
		return nil
	case "grow_node":
		if node == nil {
			return fmt.Errorf("%s is gone", args["node"])
		}
		node = node.DeepCopy()
		room := *resource.NewMilliQuantity(node.Status.Allocatable.Cpu().MilliValue()+1000, resource.DecimalSI)
		node.Status.Allocatable[v1.ResourceCPU], node.Status.Capacity[v1.ResourceCPU] = room, room
		k.writeNode(node, "update")
		return nil
	case "delete_pod", "finish_termination", "update_annotations", "update_labels", "update_finalizers", "shrink_pod", "bind_elsewhere":
		if pod == nil {
			return fmt.Errorf("%s is gone", args["pod"])
		}
	case "delete_node", "cordon_node", "uncordon_node":
		if node == nil {
			return fmt.Errorf("%s is gone", args["node"])
		}
	}
	switch name {
	case "delete_pod":
		return k.deletePod(args["pod"])
	case "finish_termination":
		k.removePod(args["pod"])
	case "update_annotations", "update_labels", "update_finalizers", "shrink_pod":
		k.writePod(playedUpdate(pod, name))
	case "bind_elsewhere":
		return k.bindPod(args["pod"], pod.UID, args["node"])
	case "delete_node":
		delete(k.nodes, node.Name)
		k.nodeWatch = append(k.nodeWatch, playedNodeEvent{"delete", node})
	case "cordon_node", "uncordon_node":
		node = node.DeepCopy()
		node.Spec.Unschedulable = name == "cordon_node"
		k.writeNode(node, "update")
	case "deliver_pod":
		return k.deliverPod()
	case "handle_assigned":
		return k.handle(0)
	case "handle_unassigned":
		return k.handle(1)
	case "deliver_node":
		return k.deliverNode()
	case "relist_pods":
		k.relist(strings.Fields(args["order"]))
		if k.reflector != nil {
			k.reflector.broken()
		}
	case "resync_pod":
		known := k.known(args["pod"])
		if known == nil {
			return fmt.Errorf("the informer does not know %s", args["pod"])
		}
		k.tell(playedChange{old: known, new: known})
	case "pop":
		return k.pop(args["pod"])
	case "permit":
		k.waits, _ = strconv.Atoi(args["waits"])
		return k.goOn(name, args)
	case "allow_waiting_pod":
		waiting := k.waitingFor(types.UID(args["uid"]))
		if waiting == nil || k.pendingOf(waiting) == 0 {
			return fmt.Errorf("%s does not wait", args["uid"])
		}
		k.allow(waiting)
	default:
		return k.goOn(name, args)
	}
	return nil
}

func playedUpdate(pod *v1.Pod, what string) *v1.Pod {
	pod = pod.DeepCopy()
	switch what {
	case "update_annotations":
		note, _ := strconv.Atoi(pod.Annotations["note"])
		annotations := map[string]string{"note": strconv.Itoa(note + 1)}
		if gpu := pod.Annotations[playedAllocated]; gpu != "" {
			annotations[playedAllocated] = gpu
		}
		pod.Annotations = annotations
	case "update_labels":
		app, _ := strconv.Atoi(pod.Labels["app"])
		pod.Labels = map[string]string{"app": strconv.Itoa(app + 1)}
	case "shrink_pod":
		pod.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = *resource.NewMilliQuantity(1000, resource.DecimalSI)
	default:
		pod.Finalizers = append(pod.Finalizers, "example.com/kept")
	}
	return pod
}
