package scheduler

// Operations that are recorded: each is an action of the played scheduler. What is observed is the state in the words of
// the runs that are played.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

type kpSchedulerConfig struct {
	System      string         `json:"system"`
	Scope       map[string]int `json:"scope"`
	BindsAnyUID bool           `json:"binds_any_uid"`
	Clears      bool           `json:"clears_nomination,omitempty"`
	Name        string         `json:"name,omitempty"`
}

// scope gives the world of the bounds. How often somebody does something is said by the operations.
func (c kpSchedulerConfig) scope() playedScope {
	is := func(bound string) bool { return c.Scope[bound] > 0 }
	return playedScope{
		pods: c.Scope["pods"], high: c.Scope["high"], top: c.Scope["top"], big: c.Scope["big"], nodes: c.Scope["nodes"],
		lateNodes: c.Scope["late_nodes"], zones: c.Scope["node_zones"], room: c.Scope["room"],
		boundAtStart: c.Scope["bound_at_start"], permit: c.Scope["permit"], extenders: c.Scope["binder_extenders"],
		unknownProfile: c.Scope["unknown_profile"], preemption: is("preemption"), graceful: is("graceful"),
		listeners: is("listeners"), extender: is("extender"), antiAffinity: is("anti_affinity"),
		ignorable: is("ignorable"), blockedDeletes: is("blocked_deletes"), bindsAnyUID: c.BindsAnyUID, clearsNomination: c.Clears,
	}
}

// kpSchedulerCase is one case.
type kpSchedulerCase struct {
	k *playedScheduler
	// An operation, which is not called again, has ended the process.
	ended bool
}

func TestKubeproof(t *testing.T) {
	var last *playedScheduler
	kpRun(t, func(raw json.RawMessage) (kpCase, error) {
		if last != nil {
			last.close()
		}
		config := kpSchedulerConfig{}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&config); err != nil {
			return nil, err
		}
		last = newPlayedScheduler(t, config.scope(), playedRun{t: t})
		return &kpSchedulerCase{k: last}, nil
	})
}

func (c *kpSchedulerCase) play(raw json.RawMessage) (map[string]interface{}, kpNext) {
	op := map[string]string{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	err := errors.New("the scheduler's process has ended")
	if !c.ended {
		err = c.k.possible(op["op"], op)
	}
	if err == nil {
		err = c.k.act(op["op"], op)
	}
	switch {
	case c.k.crashed != "":
		return map[string]interface{}{"panic": c.k.crashed}, kpEnd
	case err != nil:
		// The rest of the case may make no sense.
		return map[string]interface{}{"impossible": err.Error()}, kpEnd
	}
	seen := map[string]interface{}{}
	for subject, fact := range c.k.observe().facts() {
		seen[subject] = fact
	}
	return seen, kpGoOn
}

// observe is asked in place of an operation that ends the process.
func (c *kpSchedulerCase) observe(json.RawMessage) map[string]interface{} {
	c.ended = true
	return map[string]interface{}{}
}

// possible says why users, other schedulers, the kubelet or an informer cannot do what the operation says; nil if they
// can, and of what the scheduler does.
func (k *playedScheduler) possible(name string, args map[string]string) error {
	pod, node := k.pods[args["pod"]], k.nodes[args["node"]]
	can := true
	switch name {
	case "create_pod":
		can = k.incarnations[args["pod"]] == 0
	case "recreate_pod":
		can = pod == nil && k.incarnations[args["pod"]] > 0
	case "finish_termination":
		can = pod != nil && pod.DeletionTimestamp != nil
	case "update_annotations", "update_labels", "update_finalizers", "delete_pod":
		can = pod != nil && pod.DeletionTimestamp == nil
	case "bind_elsewhere":
		can = pod != nil && pod.DeletionTimestamp == nil && pod.Spec.NodeName == "" && node != nil
	case "add_node":
		can = node == nil
	case "cordon_node", "uncordon_node":
		can = node != nil && node.Spec.Unschedulable == (name == "uncordon_node")
	case "deliver_pod":
		can = len(k.podWatch) > 0 && k.podWatch[0].pod.Name == args["pod"]
	}
	if !can {
		return fmt.Errorf("%s is not possible now", name)
	}
	return nil
}
