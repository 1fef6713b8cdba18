// Drives the scheduler's queue (scheduling_queue.go) with a clock of the driver's own. The goroutines of the queue do
// not run: nothing depends on the time of day.

package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

func TestKubeproof(t *testing.T) {
	metrics.Register()
	kpRun(t, kpNewCase)
}

// kpStart is the time 0 of a case: a whole second, since from 1.33 on ends of backoff are cut down to whole seconds.
var kpStart = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func kpMillis(t time.Time) int64 { return int64(t.Sub(kpStart) / time.Millisecond) }

// kpGates are the feature gates that a config may name.
var kpGates = map[string]string{
	"queueing_hints":     "SchedulerQueueingHints",
	"pop_from_backoff_q": "SchedulerPopFromBackoffQ",
}

type kpQueueCase struct {
	*PriorityQueue
	clock *kpClock
	// What the pod lister of the queue answers from.
	listed cache.Indexer
	// By uid: the record that the last Pop returned.
	popped map[string]*framework.QueuedPodInfo
	// The config that was given.
	given map[string]interface{}
	// The feature gates that this release has, as they are in this case.
	gates map[string]bool
	// Whether a gate is locked to something else than the config says, so that no operation can be played.
	locked bool
}

func kpNewCase(raw json.RawMessage) (kpCase, error) {
	given := map[string]interface{}{}
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, err
	}
	gates, locked := map[string]bool{}, false
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		for key, gate := range kpGates {
			if string(name) != gate {
				continue
			}
			value, named := given[key].(bool)
			if !named {
				value = spec.Default
			}
			if utilfeature.DefaultFeatureGate.Enabled(name) != value {
				locked = utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("%s=%v", gate, value)) != nil || locked
			}
			gates[key] = utilfeature.DefaultFeatureGate.Enabled(name)
		}
	}
	factory := informers.NewSharedInformerFactory(nil, 0)
	clock := &kpClock{now: kpStart}
	return &kpQueueCase{
		PriorityQueue: kpNewQueue(clock, factory),
		clock:         clock,
		listed:        factory.Core().V1().Pods().Informer().GetIndexer(),
		popped:        map[string]*framework.QueuedPodInfo{},
		given:         given,
		gates:         gates,
		locked:        locked,
	}, nil
}

// config is the config of the case, with the gates that this release has as they are.
func (c *kpQueueCase) config() json.RawMessage {
	for key := range kpGates {
		delete(c.given, key)
	}
	for key, value := range c.gates {
		c.given[key] = value
	}
	return json.RawMessage(kpLine(c.given))
}

// kpQueuePod is a pod of an operation. Its uid is NAME#INCARNATION.
type kpQueuePod struct {
	UID             string            `json:"uid"`
	Priority        int32             `json:"priority"`
	CPU             int64             `json:"cpu_milli"`
	Node            string            `json:"node"`
	Nominated       string            `json:"nominated"`
	Labels          map[string]string `json:"labels"`
	Annotations     map[string]string `json:"annotations"`
	AffinityApp     string            `json:"affinity_app"`
	Toleration      string            `json:"toleration"`
	Condition       string            `json:"condition"`
	ResourceVersion int64             `json:"resource_version"`
}

func (p *kpQueuePod) pod() *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       "ns",
			Name:            strings.Split(p.UID, "#")[0],
			UID:             types.UID(p.UID),
			Labels:          p.Labels,
			Annotations:     p.Annotations,
			ResourceVersion: fmt.Sprint(p.ResourceVersion),
		},
		Spec:   v1.PodSpec{NodeName: p.Node, Priority: &p.Priority},
		Status: v1.PodStatus{NominatedNodeName: p.Nominated},
	}
	if p.CPU != 0 {
		requests := v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(p.CPU, resource.DecimalSI)}
		pod.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: requests}}}
	}
	if p.AffinityApp != "" {
		term := v1.PodAffinityTerm{
			TopologyKey:   "zone",
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.AffinityApp}},
		}
		affinity := &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: affinity}
	}
	if p.Toleration != "" {
		pod.Spec.Tolerations = []v1.Toleration{{Key: p.Toleration, Operator: v1.TolerationOpExists}}
	}
	if p.Condition != "" {
		condition := v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionFalse, Message: p.Condition}
		pod.Status.Conditions = []v1.PodCondition{condition}
	}
	return pod
}

type kpQueueOp struct {
	Op                   string     `json:"op"`
	Pod                  kpQueuePod `json:"pod"`
	Old                  kpQueuePod `json:"old"`
	New                  kpQueuePod `json:"new"`
	Cycle                int64      `json:"cycle"`
	Record               string     `json:"record"`
	Repeat               bool       `json:"repeat"`
	UnschedulablePlugins []string   `json:"unschedulable_plugins"`
	PendingPlugins       []string   `json:"pending_plugins"`
	Event                string     `json:"event"`
	MS                   int64      `json:"ms"`
	Node                 string     `json:"node"`
}

func (c *kpQueueCase) play(raw json.RawMessage) (map[string]interface{}, kpNext) {
	op := kpQueueOp{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	if !c.playable(op) {
		return nil, kpLeaveOut
	}
	// No two operations see the same time.
	c.clock.now = c.clock.now.Add(time.Millisecond)
	answer := map[string]interface{}{}
	err := c.call(op, answer)
	seen := c.observe(raw)
	seen["error"] = kpError(err)
	for key, value := range answer {
		seen[key] = value
	}
	if answer["blocked"] != nil {
		return seen, kpEnd
	}
	return seen, kpGoOn
}

// playable is false if this release lacks the method, the event or the record, or if Pop would wait.
func (c *kpQueueCase) playable(op kpQueueOp) bool {
	if c.locked {
		return false
	}
	switch op.Op {
	case "pop":
		return len(c.poppable()) > 0
	case "add_unschedulable":
		return c.popped[op.record()] != nil
	case "move_all":
		_, known := kpEvents[op.Event]
		return known
	case "done":
		return c.method("Done").IsValid()
	case "activate":
		return c.method("Activate").IsValid()
	case "add_if_not_present":
		return c.method("AddIfNotPresent").IsValid()
	}
	return true
}

func (c *kpQueueCase) call(op kpQueueOp, answer map[string]interface{}) error {
	switch op.Op {
	case "add":
		return kpFailed(c.invoke("Add", c.list(op.Pod)))
	case "add_if_not_present":
		return kpFailed(c.invoke("AddIfNotPresent", c.list(op.Pod)))
	case "pop":
		return c.pop(answer)
	case "add_unschedulable":
		return kpFailed(c.invoke("AddUnschedulableIfNotPresent", c.failed(op), op.Cycle))
	case "update":
		return kpFailed(c.invoke("Update", op.Old.pod(), c.list(op.New)))
	case "delete":
		if err := c.listed.Delete(op.Pod.pod()); err != nil {
			return err
		}
		return kpFailed(c.invoke("Delete", op.Pod.pod()))
	case "assigned_pod_added":
		c.invoke("AssignedPodAdded", c.list(op.Pod))
	case "assigned_pod_updated":
		kpAssignedPodUpdated(c, op.Old.pod(), c.list(op.New))
	case "move_all":
		c.invoke("MoveAllToActiveOrBackoffQueue", kpEvents[op.Event])
	case "advance":
		c.clock.now = c.clock.now.Add(time.Duration(op.MS) * time.Millisecond)
	case "flush_backoff":
		kpFlushBackoff(c.PriorityQueue)
	case "flush_unschedulable":
		kpFlushUnschedulable(c.PriorityQueue)
	case "nominate":
		kpNominate(c, c.podInfo(op.Pod.pod()), op.Node)
	case "delete_nominated":
		c.invoke("DeleteNominatedPodIfExists", op.Pod.pod())
	case "nominated_pods_for_node":
		uids := []string{}
		pods := c.invoke("NominatedPodsForNode", op.Node)[0]
		for i := 0; i < pods.Len(); i++ {
			uids = append(uids, string(pods.Index(i).Interface().(*framework.PodInfo).Pod.UID))
		}
		answer["result"] = uids
	case "activate":
		c.invoke("Activate", map[string]*v1.Pod{op.Pod.UID: op.Pod.pod()})
	case "done":
		c.invoke("Done", types.UID(op.Pod.UID))
	default:
		panic(fmt.Sprintf("no operation %q", op.Op))
	}
	return nil
}

func (c *kpQueueCase) method(name string) reflect.Value {
	return reflect.ValueOf(c.PriorityQueue).MethodByName(name)
}

// invoke calls a method whatever else its release takes: a parameter gets the next argument that fits its type, and
// those that none fits, such as the logger, get nothing.
func (c *kpQueueCase) invoke(name string, arguments ...interface{}) []reflect.Value {
	method := c.method(name)
	in := []reflect.Value{}
	for i := 0; i < method.Type().NumIn(); i++ {
		wanted := method.Type().In(i)
		value := reflect.Zero(wanted)
		if wanted == reflect.TypeOf((*context.Context)(nil)).Elem() {
			value = reflect.ValueOf(context.Background())
		} else if len(arguments) > 0 && reflect.TypeOf(arguments[0]).AssignableTo(wanted) {
			value, arguments = reflect.ValueOf(arguments[0]), arguments[1:]
		}
		in = append(in, value)
	}
	if len(arguments) > 0 {
		panic(fmt.Sprintf("%s takes no %T: %v", name, arguments[0], method.Type()))
	}
	return method.Call(in)
}

// kpFailed is the error among the results of a method, if it has one.
func kpFailed(results []reflect.Value) error {
	for _, result := range results {
		if err, failed := result.Interface().(error); failed {
			return err
		}
	}
	return nil
}

// list stores a pod where the lister of the queue finds it, as its informer does before it calls a handler.
func (c *kpQueueCase) list(given kpQueuePod) *v1.Pod {
	pod := given.pod()
	if err := c.listed.Add(pod); err != nil {
		panic(err)
	}
	return pod
}

// poppable has the pods that Pop looks at.
func (c *kpQueueCase) poppable() []*framework.QueuedPodInfo {
	active := kpActive(c.PriorityQueue)
	if backoff, _ := kpBackoff(c.PriorityQueue); len(active) == 0 && c.gates["pop_from_backoff_q"] {
		return backoff
	}
	return active
}

// pop calls Pop. From 1.32 on Pop discards each pod that is already in flight; where there is no other pod, it waits.
func (c *kpQueueCase) pop(answer map[string]interface{}) error {
	waits := kpDiscards
	for _, info := range c.poppable() {
		waits = waits && kpIsInFlight(c.PriorityQueue, info.Pod.UID)
	}
	if !waits {
		return c.took(c.invoke("Pop"), answer)
	}
	done := make(chan []reflect.Value, 1)
	go func() { done <- c.invoke("Pop") }()
	for {
		select {
		case results := <-done:
			return c.took(results, answer)
		case <-time.After(time.Millisecond):
			// Pop holds the lock while it discards: when nothing is left, it waits.
			if len(c.poppable()) == 0 {
				answer["popped"], answer["blocked"] = nil, true
				return nil
			}
		}
	}
}

func (c *kpQueueCase) took(results []reflect.Value, answer map[string]interface{}) error {
	if err := kpFailed(results); err != nil {
		return err
	}
	info := results[0].Interface().(*framework.QueuedPodInfo)
	c.popped[string(info.Pod.UID)] = info
	answer["popped"], answer["attempts"] = string(info.Pod.UID), info.Attempts
	return nil
}

// record is the uid under which the pod of the operation was popped.
func (op *kpQueueOp) record() string {
	if op.Record != "" {
		return op.Record
	}
	return op.Pod.UID
}

// failed is the record of the pod's last Pop, with the pod and the plugins that the operation names.
func (c *kpQueueCase) failed(op kpQueueOp) *framework.QueuedPodInfo {
	info := c.popped[op.record()]
	pod := op.Pod.pod()
	if op.Repeat || c.waiting(pod.Name) != nil {
		// No record may be in the queue twice.
		another := *info
		info = &another
	}
	info.PodInfo = kpPodInfo(pod)
	// A set of its own: the queue may still have the old one.
	info.UnschedulablePlugins = info.UnschedulablePlugins.Difference(info.UnschedulablePlugins)
	info.UnschedulablePlugins.Insert(op.UnschedulablePlugins...)
	kpSetPending(info, op.PendingPlugins)
	return info
}

// waiting is the record of the pod of this name that waits in the queue, or nil.
func (c *kpQueueCase) waiting(name string) *framework.QueuedPodInfo {
	backoff, afterErrors := kpBackoff(c.PriorityQueue)
	for _, infos := range [][]*framework.QueuedPodInfo{
		kpActive(c.PriorityQueue), backoff, afterErrors, kpUnschedulable(c.PriorityQueue),
	} {
		for _, info := range infos {
			if info.Pod.Name == name {
				return info
			}
		}
	}
	return nil
}

// podInfo is the record that the queue has of this very version of the pod, since the scheduler nominates with that
// one; a new record if the queue has none.
func (c *kpQueueCase) podInfo(pod *v1.Pod) *framework.PodInfo {
	info := c.waiting(pod.Name)
	if info != nil && info.Pod.UID == pod.UID && info.Pod.ResourceVersion == pod.ResourceVersion {
		return info.PodInfo
	}
	return kpPodInfo(pod)
}

func (c *kpQueueCase) observe(json.RawMessage) map[string]interface{} {
	q := c.PriorityQueue
	less := (&queuesort.PrioritySort{}).Less
	active := kpActive(q)
	sort.Slice(active, func(i, j int) bool { return less(active[i], active[j]) })
	backoff, afterErrors := kpBackoff(q)
	backoff = append(backoff, afterErrors...)
	sort.Slice(backoff, func(i, j int) bool {
		a, b := kpBackoffEnd(q, backoff[i]), kpBackoffEnd(q, backoff[j])
		if a.Equal(b) {
			return kpBefore(backoff[i], backoff[j])
		}
		return a.Before(b)
	})
	ends := [][]interface{}{}
	for _, info := range backoff {
		ends = append(ends, []interface{}{string(info.Pod.UID), kpMillis(kpBackoffEnd(q, info))})
	}
	nominated := map[string][]string{}
	for node, uids := range kpNominated(q) {
		if len(uids) > 0 {
			nominated[node] = uids
		}
	}
	seen := map[string]interface{}{
		"now":                kpMillis(c.clock.now),
		"active":             kpUIDs(active),
		"backoff":            ends,
		"unschedulable":      kpSorted(kpUIDs(kpUnschedulable(q))),
		"nominated":          nominated,
		"cycle":              q.SchedulingCycle(),
		"move_request_cycle": q.moveRequestCycle,
	}
	if kpErrorsApart {
		seen["error_backoff"] = kpUIDs(kpOf(backoff, afterErrors))
	}
	kpObserveMore(q, seen)
	return seen
}

// kpOf is those of some infos that are among others, in the order of the first.
func kpOf(infos, others []*framework.QueuedPodInfo) []*framework.QueuedPodInfo {
	found := []*framework.QueuedPodInfo{}
	for _, info := range infos {
		for _, other := range others {
			if info == other {
				found = append(found, info)
			}
		}
	}
	return found
}

func kpUIDs(infos []*framework.QueuedPodInfo) []string {
	uids := []string{}
	for _, info := range infos {
		uids = append(uids, string(info.Pod.UID))
	}
	return uids
}

func kpSorted(names []string) []string {
	sort.Strings(names)
	return names
}
