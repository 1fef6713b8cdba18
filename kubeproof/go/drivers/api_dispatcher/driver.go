// Drives the call queue of the API dispatcher (call_queue.go) with the calls of the scheduler.

package apidispatcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	apicalls "k8s.io/kubernetes/pkg/scheduler/framework/api_calls"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

func TestKubeproof(t *testing.T) {
	metrics.Register()
	kpRun(t, func(json.RawMessage) (kpCase, error) {
		return &kpCalls{queue: newCallQueue(apicalls.Relevances), running: map[string]*kpInFlight{}}, nil
	})
}

type kpCalls struct {
	queue   *callQueue
	running map[string]*kpInFlight
	// Who waits for an answer, in the order of their calls.
	waiting []chan error
}

// kpInFlight is a call that was popped, and what the API server has answered.
type kpInFlight struct {
	call *queuedAPICall
	err  error
}

type kpStatus struct {
	Nominated string `json:"nominated"`
	Condition string `json:"condition"`
}

type kpCallOp struct {
	Op        string   `json:"op"`
	UID       string   `json:"uid"`
	Status    kpStatus `json:"status"`
	Condition *string  `json:"condition"`
	Nominate  *string  `json:"nominate"`
	Node      string   `json:"node"`
	Fails     bool     `json:"fails"`
}

func (c *kpCalls) play(raw json.RawMessage) (map[string]interface{}, kpNext) {
	op := kpCallOp{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	var err error
	more := map[string]interface{}{}
	switch op.Op {
	case "patch":
		err = c.add(&queuedAPICall{APICall: kpPatch(kpPod(op.UID, op.Status), kpCondition(op.Condition), op.Nominate)})
	case "bind":
		binding := &v1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: op.UID, UID: types.UID(op.UID)}, Target: v1.ObjectReference{Kind: "Node", Name: op.Node}}
		err = c.add(&queuedAPICall{APICall: apicalls.NewPodBindingCall(binding)})
	case "sync":
		var synced metav1.Object
		synced, err = c.queue.syncObject(kpPod(op.UID, op.Status))
		more["synced"] = kpShown(&synced.(*v1.Pod).Status)
	case "pop":
		if c.queue.callsQueue.Len() == 0 {
			return nil, kpLeaveOut // Go would wait here.
		}
		var call *queuedAPICall
		call, err = c.queue.pop()
		more["popped"] = string(call.UID())
		c.running[string(call.UID())] = &kpInFlight{call: call}
	case "execute":
		running, ok := c.running[op.UID]
		if !ok {
			return nil, kpLeaveOut
		}
		client := &kpClient{fails: op.Fails}
		running.err = running.call.Execute(context.Background(), client)
		err = running.err
		more["request"] = client.request
	case "finalize":
		running, ok := c.running[op.UID]
		if !ok {
			return nil, kpLeaveOut
		}
		delete(c.running, op.UID)
		c.queue.finalize(running.call)
		running.call.sendOnFinish(running.err)
	default:
		panic(fmt.Sprintf("no operation %q", op.Op))
	}
	seen := c.observe(raw)
	seen["error"] = kpError(err)
	for name, value := range more {
		seen[name] = value
	}
	return seen, kpGoOn
}

func (c *kpCalls) add(call *queuedAPICall) error {
	answer := make(chan error, 1)
	call.onFinish = answer
	c.waiting = append(c.waiting, answer)
	return c.queue.add(call)
}

func (c *kpCalls) observe(json.RawMessage) map[string]interface{} {
	calls := map[string]interface{}{}
	for uid, call := range c.queue.apiCalls {
		calls[string(uid)] = map[string]interface{}{"id": call.callID, "type": string(call.CallType()), "no_op": call.IsNoOp()}
	}
	waiting := []string{}
	for n := c.queue.callsQueue.Len(); n > 0; n-- {
		uid, _ := c.queue.callsQueue.ReadOne()
		waiting = append(waiting, string(uid))
		c.queue.callsQueue.WriteOne(uid)
	}
	inFlight := []string{}
	for uid := range c.queue.inFlightEntities {
		inFlight = append(inFlight, string(uid))
	}
	sort.Strings(inFlight)
	told := [][]interface{}{}
	for id, answer := range c.waiting {
		select {
		case err := <-answer:
			told = append(told, []interface{}{id, kpError(err)})
		default:
		}
	}
	return map[string]interface{}{"error": nil, "calls": calls, "waiting": waiting, "in_flight": inFlight, "told": told}
}

func kpPod(uid string, status kpStatus) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: uid, UID: types.UID(uid)}}
	pod.Status.NominatedNodeName = status.Nominated
	if status.Condition == "True" {
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue}}
	} else if condition := kpCondition(&status.Condition); status.Condition != "" {
		pod.Status.Conditions = []v1.PodCondition{*condition}
	}
	return pod
}

// kpPatch is a PATCH. The type of its NominatingInfo is in another package from 1.35 on.
func kpPatch(pod *v1.Pod, condition *v1.PodCondition, node *string) fwk.APICall {
	constructor := reflect.ValueOf(apicalls.NewPodStatusPatchCall)
	info := reflect.Zero(constructor.Type().In(2))
	if node != nil {
		info = reflect.New(constructor.Type().In(2).Elem())
		info.Elem().FieldByName("NominatedNodeName").SetString(*node)
		info.Elem().FieldByName("NominatingMode").SetInt(1) // ModeOverride
	}
	made := constructor.Call([]reflect.Value{reflect.ValueOf(pod), reflect.ValueOf(condition), info})
	return made[0].Interface().(fwk.APICall)
}

func kpCondition(reason *string) *v1.PodCondition {
	if reason == nil {
		return nil
	}
	return &v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: *reason}
}

// kpShown is the observed form of a status.
func kpShown(status *v1.PodStatus) kpStatus {
	shown := kpStatus{Nominated: status.NominatedNodeName}
	for _, condition := range status.Conditions {
		shown.Condition = condition.Reason
		if condition.Status == v1.ConditionTrue {
			shown.Condition = "True"
		}
	}
	return shown
}

// kpClient is the API server: it says what it was asked for.
type kpClient struct {
	clientset.Interface
	fails   bool
	request map[string]interface{}
}

func (c *kpClient) CoreV1() corev1.CoreV1Interface { return kpCore{c: c} }

type kpCore struct {
	corev1.CoreV1Interface
	c *kpClient
}

func (core kpCore) Pods(string) corev1.PodInterface { return kpPods{c: core.c} }

type kpPods struct {
	corev1.PodInterface
	c *kpClient
}

func (pods kpPods) answer() error {
	if pods.c.fails {
		return errors.New("refused")
	}
	return nil
}

func (pods kpPods) Bind(_ context.Context, binding *v1.Binding, _ metav1.CreateOptions) error {
	pods.c.request = map[string]interface{}{"bind": binding.Target.Name}
	return pods.answer()
}

func (pods kpPods) Patch(_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	asked := struct {
		Status map[string]interface{} `json:"status"`
	}{}
	if err := json.Unmarshal(data, &asked); err != nil {
		panic(err)
	}
	pods.c.request = map[string]interface{}{}
	if node, ok := asked.Status["nominatedNodeName"]; ok {
		if node == nil {
			node = ""
		}
		pods.c.request["nominated"] = node
	}
	if conditions, ok := asked.Status["conditions"].([]interface{}); ok && len(conditions) == 1 {
		condition := conditions[0].(map[string]interface{})
		pods.c.request["condition"] = condition["reason"]
		_, pods.c.request["with_status"] = condition["status"]
	}
	return nil, pods.answer()
}
