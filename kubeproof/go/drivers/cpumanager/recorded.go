package cpumanager

// Operations that are recorded: each is an action of the played kubelet. What is observed is the state in the words of
// the runs that are played, and the error that the Go function returned.

import (
	"encoding/json"
	"fmt"
	"io/ioutil"
	"os"
	"testing"
)

type kpKubeletConfig struct {
	Cores                int  `json:"cores"`
	Threads              int  `json:"threads"`
	Reserved             int  `json:"reserved"`
	FullPCPUs            bool `json:"full_pcpus"`
	ActiveAfterAdmission bool `json:"active_after_admission"`
	RemovesAtStop        bool `json:"removes_at_stop"`
}

type kpKubeletOp struct {
	Op         string `json:"op"`
	Pod        string `json:"pod"`
	Container  string `json:"container"`
	Containers string `json:"containers"`
	CPU        int    `json:"cpu"`
	Policy     string `json:"policy"`
	During     string `json:"during"`
	Write      int    `json:"write"`
}

// kpKubeletCase is one case.
type kpKubeletCase struct {
	k *playedKubelet
	// The config with which it is played: older policies have no options.
	given kpKubeletConfig
	// Whether the kubelet was started; what it does then is an observation of the first operation.
	begun bool
	// What the last action returned.
	err error
}

func TestKubeproof(t *testing.T) {
	kpRun(t, func(raw json.RawMessage) (kpCase, error) {
		config := kpKubeletConfig{}
		if err := json.Unmarshal(raw, &config); err != nil {
			return nil, err
		}
		dir, err := ioutil.TempDir("", "cpumanager")
		if err != nil {
			return nil, err
		}
		machine := playedMachine{
			cores: config.Cores, threads: config.Threads, reserved: config.Reserved, policy: "static",
			fullPCPUs: config.FullPCPUs && playedOptions,
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		config.FullPCPUs = machine.fullPCPUs
		c := &kpKubeletCase{given: config, k: &playedKubelet{
			dir: dir, machine: machine, startedOn: machine, playedRun: playedRun{t: t},
			activeAfterAdmission: config.ActiveAfterAdmission, removesAtStop: config.RemovesAtStop,
		}}
		c.k.mustHold(func(_ observed, action observedAction, _ observed) string {
			c.err = action.err
			return ""
		})
		return c, nil
	})
}

func (c *kpKubeletCase) config() json.RawMessage {
	return kpLine(c.given)
}

func (c *kpKubeletCase) play(raw json.RawMessage) (map[string]interface{}, kpNext) {
	op := kpReadKubeletOp(raw)
	if !c.begun {
		c.begun = true
		if err := c.k.begin(); err != nil {
			return map[string]interface{}{"panic": err.Error()}, kpEnd
		}
	}
	c.call(op)
	if c.k.stopped != "" {
		// The rest of the case may make no sense.
		return map[string]interface{}{"impossible": true}, kpEnd
	}
	seen := c.observe(raw)
	if c.err != nil && (op.Op == "allocate" || op.Op == "start_container" || op.Op == "remove_container") {
		seen["error"] = c.err.Error()
	}
	return seen, kpGoOn
}

func (c *kpKubeletCase) call(op kpKubeletOp) {
	switch op.Op {
	case "create_pod":
		c.k.createPod(op.Pod, op.Containers)
	case "allocate":
		c.k.allocate(op.Pod, op.Container)
	case "start_container":
		c.k.startContainer(op.Pod, op.Container)
	case "exit_container":
		c.k.exitContainer(op.Pod, op.Container)
	case "remove_container":
		c.k.removeContainer(op.Pod, op.Container)
	case "complete_pod":
		c.k.completePod(op.Pod)
	case "delete_pod":
		c.k.deletePod(op.Pod)
	case "sources_ready":
		c.k.sourcesReady()
	case "reconcile_state":
		c.k.reconcileState()
	case "stop_kubelet":
		c.k.stopKubelet()
	case "start_kubelet":
		c.k.startKubelet()
	case "crash_kubelet":
		switch op.During {
		case "allocate":
			c.k.crashInAllocate(op.Pod, op.Container, op.Write)
		case "reconcile_state":
			c.k.crashInReconcileState(op.Write)
		default:
			panic(fmt.Sprintf("nothing is cut short during %q", op.During))
		}
	case "add_core":
		c.k.addCore()
	case "offline_cpu":
		c.k.offlineCPU(op.CPU)
	case "grow_reserved":
		c.k.growReserved()
	case "set_policy":
		c.k.setPolicy(op.Policy)
	case "delete_state_file":
		c.k.deleteStateFile()
	default:
		panic(fmt.Sprintf("no operation %q", op.Op))
	}
}

func (c *kpKubeletCase) observe(json.RawMessage) map[string]interface{} {
	seen := map[string]interface{}{}
	for subject, fact := range c.k.observe().facts() {
		seen[subject] = fact
	}
	return seen
}

func kpReadKubeletOp(raw json.RawMessage) kpKubeletOp {
	op := kpKubeletOp{}
	if err := json.Unmarshal(raw, &op); err != nil {
		panic(err)
	}
	return op
}
