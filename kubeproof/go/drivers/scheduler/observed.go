package scheduler

// What a state of the played scheduler is, and how it is compared with the run that is played.

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// observedPod is an object of a pod.
type observedPod struct {
	name, uid       string
	node, nominated string
	condition       string
	terminating     bool
	gated           bool
	scheduler       string
	priority        int32
	milli           int64
	labels          map[string]string
	text            string
}

// observedCached is a pod in the cache.
type observedCached struct {
	pod     observedPod
	assumed bool
}

// observedNode is a NodeInfo of the cache: whether there is a Node object, and the pods, with their objects.
type observedNode struct {
	object bool
	pods   []observedPod
	// What is counted as requested, in milli-CPU.
	requested int64
}

// observedNomination is a nomination in memory; the pod is that of the API server, if there is one of this UID.
type observedNomination struct {
	node, uid string
	pod       *observedPod
}

// observedGoroutine is an attempt under way. node: where the pod fits; nominates: to which node a failure will nominate
// it; next: the gate at which the goroutine stands.
type observedGoroutine struct {
	pod             observedPod
	node, nominates string
	next            string
	binding         bool
	// Whether the attempt has not failed; whether a plugin at Reserve holds something for it.
	goesOn, reserved bool
	// Whether Done was called, in runs of queueing-hints.
	done bool
}

// observedWaiting is a pod that waits at Permit: how many plugins it waits for, and what was sent to its goroutine.
type observedWaiting struct {
	plugins int
	sent    string
}

// observedMachine is a node of the API server.
type observedMachine struct {
	milli    int64
	cordoned bool
	// A pod of others keeps pods with the label app=1 away.
	keepsAway bool
}

// observed is a state: Go's own values, and the API server.
type observed struct {
	pods, lister map[string]observedPod
	// The objects in the informer's store.
	listed             map[string]*v1.Pod
	nodes              map[string]observedMachine
	podWatch           []playedPodEvent
	nodeWatch          []playedNodeEvent
	backlog            [2]int
	active, unschedule []observedPod
	backoff            []observedPod
	nominated          []observedNomination
	cached             map[string]observedCached
	cachedNodes        map[string]observedNode
	// The nodes of the snapshot of the last scheduling cycle.
	snapshot map[string]observedNode
	// By UID: all nodes of the map of this snapshot.
	snapshotMap map[string]observedNode
	// By UID: the node on which the plugin at Reserve holds something for the pod.
	reserved map[string]string
	// The UIDs of pods that the scheduler says that it has preempted.
	preempted map[string]bool
	// By UID: the pods that preemption has deleted, and the UID of the pod that it made room for.
	victims    map[string]string
	goroutines []observedGoroutine
	// Goroutines of the error function, by the pod: the gates at which they stand.
	retries         map[string][]string
	waiting         map[string]observedWaiting
	failures, used  map[string]int
	boundByExtender map[string]bool
	crashed         string
	// nil unless the run is one of queueing-hints.
	hints *observedHints
	// nil unless the run is one of async-preemption.
	preemption *observedPreemption
	// nil unless the run is one of api-calls.
	calls *observedCalls
}

// observedAction is what led from one state to the next.
type observedAction struct {
	name string
	args map[string]string
}

type observedProperty func(before observed, action observedAction, after observed) string

func (k *playedScheduler) mustHold(property observedProperty) { k.property = property }

func (k *playedScheduler) state(changes ...string) {
	k.playedRun.t.Helper()
	k.compare(k.observe().facts(), changes)
}

// delivered says whether every event was delivered.
func (s observed) delivered() bool {
	return len(s.podWatch) == 0 && len(s.nodeWatch) == 0 && s.backlog == [2]int{}
}

// atRest says whether nothing is under way: only a user, a node or time could make something happen.
func (s observed) atRest() bool {
	return len(s.goroutines) == 0 && len(s.retries) == 0 && s.crashed == "" && len(s.active) == 0 && len(s.backoff) == 0 && s.delivered()
}

// free gives the milli-CPU that the node has left beside the pods bound to it, by the API server.
func (s observed) free(node string) int64 {
	left := s.nodes[node].milli
	for _, pod := range s.pods {
		if pod.node == node {
			left -= pod.milli
		}
	}
	return left
}

// underWay says whether something about the pod is under way to the handlers.
func (s observed) underWay(name string) bool {
	for _, event := range s.podWatch {
		if event.pod.Name == name {
			return true
		}
	}
	return s.backlog != [2]int{}
}

// goroutine gives the goroutine of the pod that stands at a gate, nil if there is none.
func (s observed) goroutine(name, next string) *observedGoroutine {
	for i := range s.goroutines {
		if s.goroutines[i].pod.name == name && s.goroutines[i].next == next {
			return &s.goroutines[i]
		}
	}
	return nil
}

func observedOf(pod *v1.Pod) observedPod {
	o := observedPod{
		name: pod.Name, uid: string(pod.UID), node: pod.Spec.NodeName, nominated: pod.Status.NominatedNodeName,
		condition: playedCondition(pod), terminating: pod.DeletionTimestamp != nil, labels: pod.Labels,
		scheduler: pod.Spec.SchedulerName, gated: playedGated(pod),
	}
	if pod.Spec.Priority != nil {
		o.priority = *pod.Spec.Priority
	}
	for _, container := range pod.Spec.Containers {
		o.milli += container.Resources.Requests.Cpu().MilliValue()
	}
	var parts []string
	if o.milli > 1000 {
		parts = append(parts, fmt.Sprintf("asks for %dm CPU", o.milli))
	}
	if o.node != "" {
		parts = append(parts, "on "+o.node)
	}
	if o.nominated != "" {
		parts = append(parts, "nominatedNodeName "+o.nominated)
	}
	for _, app := range []string{pod.Labels["app"]} {
		if app != "" {
			parts = append(parts, "label app="+app)
		}
	}
	for _, key := range []string{playedAllocated, "note"} {
		if text := pod.Annotations[key]; text != "" {
			parts = append(parts, "annotation "+key+"="+text)
		}
	}
	for _, finalizer := range pod.Finalizers {
		parts = append(parts, "finalizer "+finalizer)
	}
	if o.condition != "" {
		parts = append(parts, o.condition)
	}
	if playedIsTarget(pod) {
		parts = append(parts, "condition DisruptionTarget")
	}
	if o.gated {
		parts = append(parts, "scheduling gate example.com/gate")
	}
	if o.terminating {
		parts = append(parts, "terminating")
	}
	if o.scheduler != v1.DefaultSchedulerName {
		parts = append(parts, "schedulerName "+o.scheduler)
	}
	o.text = o.uid
	if len(parts) > 0 {
		o.text += " (" + strings.Join(parts, ", ") + ")"
	}
	return o
}

// observe reads the state.
func (k *playedScheduler) observe() observed {
	k.awaitFlush()
	k.awaitTold()
	s := observed{
		pods: map[string]observedPod{}, lister: map[string]observedPod{}, listed: map[string]*v1.Pod{}, nodes: map[string]observedMachine{},
		podWatch: k.podWatch, nodeWatch: k.nodeWatch, cached: map[string]observedCached{},
		cachedNodes: map[string]observedNode{}, waiting: map[string]observedWaiting{}, failures: map[string]int{},
		used: map[string]int{}, boundByExtender: map[string]bool{}, victims: map[string]string{}, retries: map[string][]string{},
		reserved: map[string]string{}, preempted: map[string]bool{}, snapshotMap: map[string]observedNode{}, snapshot: map[string]observedNode{}, crashed: k.crashed,
	}
	for name, pod := range k.pods {
		s.pods[name] = observedOf(pod)
	}
	for name, node := range k.nodes {
		s.nodes[name] = observedMachine{node.Status.Allocatable.Cpu().MilliValue(), node.Spec.Unschedulable, k.scope.antiAffinity}
	}
	for _, object := range k.podInformer.GetIndexer().List() {
		pod := observedOf(object.(*v1.Pod))
		s.lister[pod.name], s.listed[pod.name] = pod, object.(*v1.Pod)
	}
	for at := range k.backlog {
		s.backlog[at] = len(k.backlog[at])
	}
	for uid, times := range k.failures {
		s.failures[uid] = times
	}
	for name, times := range k.used {
		s.used[name] = times
	}
	for uid := range k.boundByExtender {
		s.boundByExtender[uid] = true
	}
	for uid, by := range k.victims {
		s.victims[uid] = by
	}
	for uid, node := range k.reserved {
		s.reserved[uid] = node
	}
	for uid := range k.preempted {
		s.preempted[uid] = true
	}
	s.active, s.backoff, s.unschedule = k.queued()
	s.hints = k.observeHints()
	s.preemption = k.observePreemption()
	k.observeNominations(&s)
	s.calls = k.observeCalls(&s)
	k.observeCache(&s)
	for _, a := range k.attempts {
		pod := observedOf(a.pod)
		if a.retry {
			s.retries[pod.name] = append(s.retries[pod.name], "next "+a.gate)
			continue
		}
		next := a.gate
		if next == "" && a.listens != nil {
			next = "wait_on_permit"
		}
		s.goroutines = append(s.goroutines, observedGoroutine{pod, a.node, a.nominates, next, a.returned, a.fits, a.reserved, a.done})
		if waiting := k.waitingFor(types.UID(pod.uid)); waiting != nil {
			sent := a.told
			if sent == "" {
				sent = playedSent(waiting)
			}
			s.waiting[pod.uid] = observedWaiting{k.pendingOf(waiting), sent}
		}
	}
	return s
}

// playedSent is what the goroutine of a waiting pod will hear; "" if nothing was sent.
func playedSent(waiting playedWaitingPod) string {
	channel := reflect.ValueOf(playedField(waiting, "s"))
	if channel.Len() == 0 {
		return ""
	}
	sent, _ := channel.Recv()
	channel.Send(sent)
	if sent.Interface().(*playedStatus).IsSuccess() {
		return "allowed"
	}
	return "rejected"
}

// queued is what activeQ, the backoff queue and unschedulableQ have.
func (k *playedScheduler) queued() (active, backoff, unschedulable []observedPod) {
	queue := k.queue()
	// The flush of the backoff queue moves pods at any time.
	lock := (*sync.RWMutex)(unsafe.Pointer(reflect.ValueOf(queue).Elem().FieldByName("lock").UnsafeAddr()))
	lock.RLock()
	defer lock.RUnlock()
	active, backoff = observedList(playedActive(queue)), observedList(playedBackoff(queue))
	infos := playedField(playedField(queue, "unschedulablePods", "unschedulableQ"), "podInfoMap")
	for _, info := range infos.(map[string]*playedQueuedPod) {
		unschedulable = append(unschedulable, observedOf(info.Pod))
	}
	sort.Slice(unschedulable, func(i, j int) bool { return unschedulable[i].uid < unschedulable[j].uid })
	return active, backoff, unschedulable
}

func observedList(pods []*v1.Pod) []observedPod {
	var found []observedPod
	for _, pod := range pods {
		found = append(found, observedOf(pod))
	}
	sort.Slice(found, func(i, j int) bool { return found[i].uid < found[j].uid })
	return found
}

// observeNominations reads nominatedPods. In some releases it has objects of pods, in others names and UIDs.
func (k *playedScheduler) observeNominations(s *observed) {
	nodes := reflect.ValueOf(playedField(playedField(k.queue(), "nominator", "PodNominator", "nominatedPods"), "nominatedPods"))
	for _, node := range nodes.MapKeys() {
		pods := nodes.MapIndex(node)
		for i := 0; i < pods.Len(); i++ {
			each := observedNomination{node: node.String()}
			each.uid = playedNominated(pods.Index(i))
			for _, pod := range s.pods {
				if pod := pod; pod.uid == each.uid {
					each.pod = &pod
				}
			}
			s.nominated = append(s.nominated, each)
		}
	}
	sort.SliceStable(s.nominated, func(i, j int) bool { return s.nominated[i].node < s.nominated[j].node })
}

// playedNominated gives the UID of a pod in nominatedPods: it has the pod, or a record of it, or its name and UID.
func playedNominated(each reflect.Value) string {
	for each.Kind() == reflect.Ptr {
		each = each.Elem()
	}
	if pod := each.FieldByName("Pod"); pod.IsValid() {
		return playedNominated(pod)
	}
	for _, name := range []string{"UID", "uid"} {
		if uid := each.FieldByName(name); uid.IsValid() {
			return uid.String()
		}
	}
	panic(fmt.Sprintf("a nominated pod is a %s", each.Type()))
}

func (k *playedScheduler) observeCache(s *observed) {
	states := reflect.ValueOf(playedField(k.cache(), "podStates"))
	assumed := reflect.ValueOf(playedField(k.cache(), "assumedPods"))
	for _, key := range states.MapKeys() {
		pod := playedField(states.MapIndex(key).Interface(), "pod").(*v1.Pod)
		if pod.Namespace == playedNamespace {
			s.cached[key.String()] = observedCached{observedOf(pod), assumed.MapIndex(key).IsValid()}
		}
	}
	nodes := reflect.ValueOf(playedField(k.cache(), "nodes"))
	for _, key := range nodes.MapKeys() {
		s.cachedNodes[key.String()] = observedNodeOf(playedField(nodes.MapIndex(key).Interface(), "info").(*playedNodeInfo))
	}
	listed := k.listed()
	for i := 0; i < listed.Len(); i++ {
		info := listed.Index(i).Interface().(*playedNodeInfo)
		s.snapshot[info.Node().Name] = observedNodeOf(info)
	}
	for name, info := range playedField(k.snapshot(), "nodeInfoMap", "NodeInfoMap").(map[string]*playedNodeInfo) {
		s.snapshotMap[name] = observedNodeOf(info)
	}
}

func observedNodeOf(info *playedNodeInfo) observedNode {
	node := observedNode{object: info.Node() != nil}
	if requested := reflect.ValueOf(playedField(info, "Requested", "requestedResource")); !requested.IsNil() {
		node.requested = requested.Elem().FieldByName("MilliCPU").Int()
	}
	for _, pod := range playedPodsOf(info) {
		if pod.Namespace == playedNamespace {
			node.pods = append(node.pods, observedOf(pod))
		}
	}
	sort.Slice(node.pods, func(i, j int) bool { return node.pods[i].uid < node.pods[j].uid })
	return node
}

// facts says the state in the words of the run.
func (s observed) facts() map[string]string {
	if s.preemption != nil {
		return s.preemption.facts()
	}
	if s.calls != nil {
		return s.calls.facts()
	}
	facts := map[string]string{}
	say := func(subject string, parts []string) {
		if len(parts) > 0 {
			facts[subject] = strings.Join(parts, "; ")
		}
	}
	if s.crashed != "" {
		facts["scheduler"] = "its process has ended"
	}
	for name, pod := range s.pods {
		facts["API server: "+name] = pod.text
	}
	var nodes, onTheWay []string
	for name := range s.nodes {
		nodes = append(nodes, name)
	}
	sort.Strings(nodes)
	if s.hints == nil {
		say("API server: nodes", nodes)
	} else {
		s.hints.facts(say)
	}
	for _, event := range s.podWatch {
		unknown := ""
		if event.finalStateUnknown {
			unknown = ", final state unknown"
		}
		onTheWay = append(onTheWay, event.kind+" "+observedOf(event.pod).text+unknown)
	}
	for _, event := range s.nodeWatch {
		onTheWay = append(onTheWay, event.kind+" "+event.node.Name)
	}
	say("informers: on the way", onTheWay)
	for name, pod := range s.lister {
		facts["informers: "+name] = pod.text
	}
	for at, name := range []string{"assigned", "unassigned"} {
		if s.backlog[at] > 0 {
			facts["handler of "+name+" pods"] = fmt.Sprintf("has to hear of %d", s.backlog[at])
		}
	}
	say("queue: activeQ", textsOf(s.active))
	say("queue: backoffQ", textsOf(s.backoff))
	say("queue: unschedulableQ", textsOf(s.unschedule))
	nominated := map[string][]string{}
	for _, each := range s.nominated {
		node := each.node
		if node == "" {
			node = "no name"
		}
		nominated[node] = append(nominated[node], each.uid)
	}
	for node, uids := range nominated {
		if s.hints != nil {
			break
		}
		say("queue: nominated to "+node, uids)
	}
	for uid, each := range s.cached {
		facts["cache: "+uid] = "on " + each.pod.node
		if each.assumed {
			facts["cache: "+uid] = "assumed, on " + each.pod.node
		}
	}
	for name, node := range s.cachedNodes {
		if s.hints != nil {
			break
		}
		text := "a node"
		if !node.object {
			text = "no Node object"
		}
		for _, pod := range node.pods {
			text += ", " + pod.uid
		}
		facts["cache: node "+name] = text
	}
	goroutines := map[string][]string{}
	for _, each := range s.goroutines {
		subject := "scheduling cycle: "
		if each.binding {
			subject = "binding goroutine: "
		}
		text := "next " + each.next
		if !each.binding && each.nominates != "" {
			text = "to " + each.nominates + ", " + text
		}
		goroutines[subject+each.pod.name] = append(goroutines[subject+each.pod.name], text)
	}
	for subject, texts := range goroutines {
		sort.Strings(texts)
		say(subject, texts)
	}
	for name, gates := range s.retries {
		sort.Strings(gates)
		say("error func's goroutine: "+name, gates)
	}
	for uid, each := range s.waiting {
		facts["waiting pods: "+uid] = fmt.Sprintf("waits for %d, sent: %s", each.plugins, each.sent)
	}
	return facts
}

func textsOf(pods []observedPod) []string {
	var texts []string
	for _, pod := range pods {
		texts = append(texts, pod.text)
	}
	return texts
}

// podNameOf gives the name of the pod of a UID: p1 for p1#2.
func podNameOf(uid string) string { return strings.SplitN(uid, "#", 2)[0] }

// goroutinesOf gives the goroutines of a pod.
func (s observed) goroutinesOf(name string) []observedGoroutine {
	var found []observedGoroutine
	for _, each := range s.goroutines {
		if each.pod.name == name {
			found = append(found, each)
		}
	}
	return found
}
