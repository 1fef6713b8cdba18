package cpumanager

// A kubelet around the real CPU manager: NewManager, Start, Allocate, AddContainer, RemoveContainer and reconcileState
// are those of this tree. The machine, the pods, their containers and the container runtime are kept here, and each
// method of playedKubelet is one action of a run.

import (
	"encoding/json"
	"fmt"
	"io/ioutil"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

// playedMachine is what a kubelet finds when it starts: CPUs 0, 1, ..., all on one socket, and its own configuration.
type playedMachine struct {
	cores, threads int
	offline        []int
	reserved       int
	policy         string
	fullPCPUs      bool
	// strictReservation is whether the option strict-cpu-reservation is set.
	strictReservation bool
}

// online gives the CPUs that are not offline, ascending.
func (m playedMachine) online() []int {
	var cpus []int
	for cpu := 0; cpu < m.cores*m.threads; cpu++ {
		off := false
		for _, each := range m.offline {
			off = off || each == cpu
		}
		if !off {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// playedContainer is a container on the machine.
type playedContainer struct {
	name string
	// init: it ends before the next container starts. first: it is among the pod's init containers, as sidecars are.
	init, first bool
	// How many exclusive CPUs it asks for.
	wants int
	// waiting, running or exited.
	state string
	// The CPUs to which the runtime confines the container.
	cpus cpuSet
	// How often it was started.
	starts int
}

// playedPod is a pod that was bound to the node.
type playedPod struct {
	name  string
	shape string
	// active, succeeded, failed or deleted.
	phase string
	// How far the kubelet is with the pod: "no", "admitting" or "yes".
	seen string
	// How many containers were allocated in the admission that is under way.
	admitted   int
	containers []*playedContainer
}

func (p *playedPod) id(c *playedContainer) string {
	return fmt.Sprintf("%s-%s-%d", p.name, c.name, c.starts)
}

// playedKubelet is the kubelet and what is around it.
type playedKubelet struct {
	dir string
	// Whether GetActivePods leaves out a pod whose admission is under way, as in 1.22.0 and 1.22.1.
	activeAfterAdmission bool
	// Whether the hooks around the end of a container call RemoveContainer, as up to 1.18.3.
	removesAtStop bool

	machine playedMachine
	// What the last start that succeeded found.
	startedOn playedMachine
	// up, down, or failed: its last start failed, and why.
	phase   string
	failure error
	manager *manager
	ready   bool
	// Tells that the first pass of the loop in Start is over.
	firstPass chan struct{}
	passed    bool
	pods      []*playedPod
	property  observedProperty
	playedRun
}

// newPlayedKubelet starts a kubelet on an empty machine. Every source of pods has spoken.
func newPlayedKubelet(t *testing.T, machine playedMachine, run playedRun) *playedKubelet {
	dir, err := ioutil.TempDir("", "cpumanager")
	if err != nil {
		t.Fatal(err)
	}
	machine.policy, run.t = "static", t
	k := &playedKubelet{dir: dir, machine: machine, startedOn: machine, playedRun: run}
	t.Cleanup(func() {
		k.report()
		os.RemoveAll(dir)
	})
	if err := k.begin(); err != nil {
		t.Fatal(err)
	}
	return k
}

// begin starts the kubelet for the first time.
func (k *playedKubelet) begin() error {
	if err := k.start(); err != nil {
		return fmt.Errorf("the kubelet does not start on an empty machine: %v", err)
	}
	k.ready = true
	return nil
}

// --- the actions of a run -------------------------------------------------------------------------------------------

// createPod binds a pod to the node. The shape names its containers, such as "init 2, app 1, app shared".
func (k *playedKubelet) createPod(name, shape string) {
	k.t.Helper()
	k.act("create_pod", name, "", func() error {
		if k.pod(name) != nil || strings.Contains(shape, "sidecar") && !playedSidecars {
			return k.impossible("the pod was there before, or this release has no sidecars")
		}
		without := k.pods
		k.pods = append(k.pods, newPlayedPod(name, shape))
		if k.roomMilli() < 0 {
			k.pods = without
			return k.impossible("there is no room for the pod")
		}
		return nil
	})
}

// allocate admits the next container of the pod. After an error the pod is rejected, and what runs of it is killed.
func (k *playedKubelet) allocate(name, container string) {
	k.t.Helper()
	k.act("allocate", name, container, func() error {
		pod := k.active(name)
		if !k.isDue(pod, container) {
			return k.impossible("no admission of the container is due")
		}
		pod.seen = "admitting"
		object := pod.object()
		err := k.manager.Allocate(object, objectContainer(object, container))
		if err != nil {
			k.stopping(pod)
			pod.phase, pod.seen, pod.admitted, pod.containers = "failed", "yes", 0, nil
			return err
		}
		pod.admitted++
		if pod.admitted == len(pod.containers) {
			pod.seen, pod.admitted = "yes", 0
		}
		return nil
	})
}

// startContainer does what syncPod does: PreCreateContainer, PreStartContainer, and the start.
func (k *playedKubelet) startContainer(name, container string) {
	k.t.Helper()
	k.act("start_container", name, container, func() error {
		pod, c := k.container(name, container)
		if c == nil || k.phase != "up" || pod.seen != "yes" || !pod.startable(c) {
			return k.impossible("the container cannot be started")
		}
		if c.state == "exited" && k.removesAtStop {
			k.removed(pod.id(c))
		}
		before := *c
		c.state, c.cpus = "running", cpuSet{}
		c.starts++
		object := pod.object()
		if k.manager.policy.Name() != "static" {
			// Nothing confines the container.
			c.cpus = setOf(k.startedOn.online())
		} else if cpus, told := k.cpusAtCreation(name, container); told {
			c.cpus = cpus
		}
		err := addPlayedContainer(k.manager, object, objectContainer(object, container), pod.id(c))
		if err != nil {
			*c = before
		}
		return err
	})
}

// cpusAtCreation gives the CPUs with which PreCreateContainer has the container created. Up to 1.20 it says none.
func (k *playedKubelet) cpusAtCreation(pod, container string) (cpuSet, bool) {
	var m Manager = k.manager
	if from, ok := m.(interface {
		GetCPUAffinity(podUID, containerName string) cpuSet
	}); ok {
		return from.GetCPUAffinity(pod, container), true
	}
	if from, ok := m.(interface {
		GetCPUs(podUID, containerName string) cpuSet
	}); ok {
		return from.GetCPUs(pod, container), true
	}
	return cpuSet{}, false
}

// exitContainer ends the container by itself.
func (k *playedKubelet) exitContainer(name, container string) {
	k.t.Helper()
	k.act("exit_container", name, container, func() error {
		pod, c := k.container(name, container)
		if c == nil || c.state != "running" {
			return k.impossible("the container does not run")
		}
		c.state, c.cpus = "exited", cpuSet{}
		if k.removesAtStop && !c.first && k.phase == "up" {
			k.removed(pod.id(c))
		}
		return nil
	})
}

// completePod ends all containers of the pod for good.
func (k *playedKubelet) completePod(name string) {
	k.t.Helper()
	k.act("complete_pod", name, "", func() error {
		pod := k.active(name)
		if pod == nil || pod.seen == "admitting" || !pod.appsRun() {
			return k.impossible("the pod is not active, or not all of its app containers run")
		}
		k.stopping(pod)
		pod.phase, pod.containers = "succeeded", nil
		return nil
	})
}

// deletePod deletes the pod; its containers are killed and gone.
func (k *playedKubelet) deletePod(name string) {
	k.t.Helper()
	k.act("delete_pod", name, "", func() error {
		pod := k.pod(name)
		if pod == nil || pod.phase == "deleted" || pod.phase == "active" && pod.seen == "admitting" {
			return k.impossible("there is no such pod, or it is in admission")
		}
		k.stopping(pod)
		*pod = playedPod{name: name, phase: "deleted", seen: "no"}
		return nil
	})
}

// removeContainer has the container's remains removed, as the garbage collection of containers does or did.
func (k *playedKubelet) removeContainer(name, container string) {
	k.t.Helper()
	k.act("remove_container", name, container, func() error {
		pod, c := k.container(name, container)
		if c == nil || k.phase != "up" || !c.init || c.state != "exited" {
			return k.impossible("there is no such init container that has exited")
		}
		return removePlayedContainer(k.manager, pod.id(c))
	})
}

// sourcesReady has every source of pods speak.
func (k *playedKubelet) sourcesReady() {
	k.t.Helper()
	k.act("sources_ready", "", "", func() error {
		if k.phase != "up" || k.ready {
			return k.impossible("the kubelet is down, or heard of all sources before")
		}
		for _, pod := range k.pods {
			if pod.phase == "active" && pod.seen != "yes" {
				return k.impossible("a pod is not admitted yet")
			}
		}
		k.ready = true
		return nil
	})
}

// reconcileState is one pass of the loop.
func (k *playedKubelet) reconcileState() {
	k.t.Helper()
	k.act("reconcile_state", "", "", func() error {
		if k.phase != "up" {
			return k.impossible("the kubelet is down")
		}
		if k.manager.policy.Name() == "static" {
			reconcilePlayed(k.manager)
		}
		return nil
	})
}

// stopKubelet ends the kubelet; containers run on.
func (k *playedKubelet) stopKubelet() {
	k.t.Helper()
	k.act("stop_kubelet", "", "", func() error {
		if k.phase != "up" {
			return k.impossible("the kubelet is down")
		}
		k.stop()
		return nil
	})
}

// startKubelet starts the kubelet on the machine as it is now.
func (k *playedKubelet) startKubelet() {
	k.t.Helper()
	k.act("start_kubelet", "", "", func() error {
		if k.phase == "up" {
			return k.impossible(kubeletRuns)
		}
		return k.start()
	})
}

// crashInAllocate admits the next container of the pod, and the kubelet dies after so many writes of the state file.
func (k *playedKubelet) crashInAllocate(name, container string, write int) {
	k.t.Helper()
	k.act("crash_kubelet", name, container, func() error {
		pod := k.active(name)
		if !k.isDue(pod, container) {
			return k.impossible("no admission of the container is due")
		}
		object := pod.object()
		return k.dieAfter(write, func() { k.manager.Allocate(object, objectContainer(object, container)) })
	})
}

// crashInReconcileState is a pass of the loop in which the kubelet dies after so many writes of the state file.
func (k *playedKubelet) crashInReconcileState(write int) {
	k.t.Helper()
	k.act("crash_kubelet", "", "", func() error {
		if k.phase != "up" {
			return k.impossible("the kubelet is down")
		}
		return k.dieAfter(write, func() { reconcilePlayed(k.manager) })
	})
}

// addCore gives the machine one more core.
func (k *playedKubelet) addCore() {
	k.t.Helper()
	k.act("add_core", "", "", func() error {
		if k.phase == "up" {
			return k.impossible(kubeletRuns)
		}
		k.machine.cores++
		return nil
	})
}

// offlineCPU takes a CPU offline.
func (k *playedKubelet) offlineCPU(cpu int) {
	k.t.Helper()
	k.act("offline_cpu", "", "", func() error {
		if k.phase == "up" {
			return k.impossible(kubeletRuns)
		}
		if !isOnline(k.machine, cpu) || cpu == 0 {
			return k.impossible("the CPU is not online, or is CPU 0")
		}
		k.machine.offline = append(append([]int{}, k.machine.offline...), cpu)
		return nil
	})
}

// growReserved has the kubelet reserve one more CPU from its next start on.
func (k *playedKubelet) growReserved() {
	k.t.Helper()
	k.act("grow_reserved", "", "", func() error {
		if k.phase == "up" {
			return k.impossible(kubeletRuns)
		}
		k.machine.reserved++
		return nil
	})
}

// setPolicy configures another policy for the next start.
func (k *playedKubelet) setPolicy(policy string) {
	k.t.Helper()
	k.act("set_policy", "", "", func() error {
		if k.phase == "up" || policy == k.machine.policy {
			return k.impossible("the kubelet runs, or has this policy")
		}
		k.machine.policy = policy
		return nil
	})
}

// deleteStateFile deletes the state file.
func (k *playedKubelet) deleteStateFile() {
	k.t.Helper()
	k.act("delete_state_file", "", "", func() error {
		if _, err := os.Stat(k.file()); k.phase == "up" || err != nil {
			return k.impossible("the kubelet runs, or there is no file")
		}
		return os.Remove(k.file())
	})
}

const kubeletRuns = "the kubelet runs"

// --- the kubelet ----------------------------------------------------------------------------------------------------

func (k *playedKubelet) start() (err error) {
	k.ready, k.passed, k.firstPass = false, false, make(chan struct{})
	defer func() {
		k.phase, k.failure = "up", err
		if err != nil {
			k.phase, k.manager = "failed", nil
		}
	}()
	made, err := newPlayedManager(k.machine, k.machine.info(), k.dir, playedAffinity{})
	if err != nil {
		return err
	}
	k.manager = made.(*manager)
	// The package of the type was moved, so the map is made without its name.
	containers := reflect.ValueOf(&k.manager.containerMap).Elem()
	containers.Set(reflect.MakeMap(containers.Type()))
	for _, pod := range k.pods {
		for _, c := range pod.containers {
			if c.state != "waiting" {
				k.manager.containerMap.Add(pod.name, c.name, pod.id(c))
			}
		}
	}
	if err := startPlayed(k.manager, k.activePods, playedSources{k: k}, playedStatus{k: k}, playedRuntime{k}); err != nil {
		return err
	}
	if k.manager.policy.Name() == "static" {
		// Start runs the loop at once, in a goroutine, and then every 1000 hours: the first pass finds no pods.
		<-k.firstPass
	}
	k.startedOn = k.machine
	return nil
}

func (k *playedKubelet) stop() {
	k.phase, k.manager, k.ready = "down", nil, false
	for _, pod := range k.pods {
		if pod.phase == "active" {
			pod.seen, pod.admitted = "no", 0
		}
	}
}

// dieAfter ends the kubelet in the middle of what it does, after so many writes of the state file.
func (k *playedKubelet) dieAfter(write int, does func()) error {
	died := false
	func() {
		defer func() {
			if found := recover(); found != nil {
				if _, ok := found.(kubeletDied); !ok {
					panic(found)
				}
				died = true
			}
		}()
		k.manager.state = &mortalState{State: k.manager.state, left: write}
		does()
	}()
	if !died {
		return k.impossible(fmt.Sprintf("the state file is not written %d times", write))
	}
	k.stop()
	return nil
}

// kubeletDied is what a mortalState panics with.
type kubeletDied struct{}

// mortalState is the real state; after so many writes of the file the kubelet dies.
type mortalState struct {
	state.State
	left int
}

func (s *mortalState) written() {
	s.left--
	if s.left == 0 {
		panic(kubeletDied{})
	}
}

// SetCPUSet writes the file once.
func (s *mortalState) SetCPUSet(podUID string, containerName string, cpus cpuSet) {
	s.State.SetCPUSet(podUID, containerName, cpus)
	s.written()
}

// SetDefaultCPUSet writes the file once.
func (s *mortalState) SetDefaultCPUSet(cpus cpuSet) {
	s.State.SetDefaultCPUSet(cpus)
	s.written()
}

// Delete writes the file once.
func (s *mortalState) Delete(podUID string, containerName string) {
	s.State.Delete(podUID, containerName)
	s.written()
}

func (k *playedKubelet) file() string {
	return filepath.Join(k.dir, "cpu_manager_state")
}

// isDue says whether the next admission is that of the container. The kubelet takes one pod after the other.
func (k *playedKubelet) isDue(pod *playedPod, container string) bool {
	if pod == nil || k.phase != "up" || pod.seen == "yes" {
		return false
	}
	for _, other := range k.pods {
		if other != pod && other.seen == "admitting" {
			return false
		}
	}
	return pod.containers[pod.admitted].name == container
}

// roomMilli gives what the scheduler believes to be free, in thousandths of a CPU: what the kubelet last reported,
// without what is reserved and what pods ask for.
func (k *playedKubelet) roomMilli() int {
	room, s := 1000*(len(k.startedOn.online())-k.startedOn.reserved), k.observe()
	for pod, phase := range s.phases {
		if phase == "active" {
			room -= s.requestedMilli(pod)
		}
	}
	return room
}

// stopping has the hooks run for the running containers of a pod.
func (k *playedKubelet) stopping(pod *playedPod) {
	for _, c := range pod.containers {
		if c.state == "running" && k.removesAtStop && k.phase == "up" {
			k.removed(pod.id(c))
		}
	}
}

func (k *playedKubelet) removed(id string) {
	if err := removePlayedContainer(k.manager, id); err != nil {
		k.t.Logf("RemoveContainer(%s): %v", id, err)
	}
}

// activePods is GetActivePods: what the kubelet knows, without pods in a terminal phase.
func (k *playedKubelet) activePods() []*v1.Pod {
	if !k.passed {
		k.passed = true
		close(k.firstPass)
		return nil
	}
	var found []*v1.Pod
	for _, pod := range k.pods {
		if pod.phase == "active" && pod.seen != "no" && !(k.activeAfterAdmission && pod.seen == "admitting") {
			found = append(found, pod.object())
		}
	}
	return found
}

// playedSources says whether every source of pods has spoken.
type playedSources struct {
	config.SourcesReady
	k *playedKubelet
}

func (s playedSources) AllReady() bool { return s.k.ready }

// playedAffinity is a topology manager that prefers nothing.
type playedAffinity struct{ topologymanager.Store }

func (playedAffinity) GetAffinity(string, string) topologymanager.TopologyHint {
	return topologymanager.TopologyHint{}
}

func (playedAffinity) GetPolicy() topologymanager.Policy { return topologymanager.NewNonePolicy() }

func (playedAffinity) Name() string { return "none" }

// playedStatus is the status manager: it knows what the containers do, with no delay.
type playedStatus struct {
	status.PodStatusProvider
	k *playedKubelet
}

func (s playedStatus) GetPodStatus(uid types.UID) (v1.PodStatus, bool) {
	pod := s.k.pod(string(uid))
	if pod == nil {
		return v1.PodStatus{}, false
	}
	status := v1.PodStatus{Phase: v1.PodPending}
	for _, c := range pod.containers {
		each := v1.ContainerStatus{Name: c.name}
		switch c.state {
		case "waiting":
			each.State.Waiting = &v1.ContainerStateWaiting{}
		case "running":
			each.State.Running = &v1.ContainerStateRunning{}
		case "exited":
			each.State.Terminated = &v1.ContainerStateTerminated{}
		}
		if c.state != "waiting" {
			each.ContainerID = "fake://" + pod.id(c)
		}
		if c.first {
			status.InitContainerStatuses = append(status.InitContainerStatuses, each)
		} else {
			status.ContainerStatuses = append(status.ContainerStatuses, each)
			if c.state != "waiting" {
				status.Phase = v1.PodRunning
			}
		}
	}
	return status, true
}

// confine is what the container runtime does when a container's resources are updated.
func (k *playedKubelet) confine(id, cpus string) error {
	set, err := parseCPUSet(cpus)
	if err != nil {
		return err
	}
	for _, pod := range k.pods {
		for _, c := range pod.containers {
			if c.state == "running" && pod.id(c) == id {
				c.cpus = set
			}
		}
	}
	return nil
}

// --- pods -----------------------------------------------------------------------------------------------------------

func newPlayedPod(name, shape string) *playedPod {
	pod := &playedPod{name: name, shape: shape, phase: "active", seen: "no"}
	counts := map[string]int{}
	for _, part := range strings.Split(shape, ", ") {
		var kind, size string
		fmt.Sscanf(part, "%s %s", &kind, &size)
		c := &playedContainer{name: fmt.Sprintf("%c%d", kind[0], counts[kind]), state: "waiting"}
		c.init, c.first = kind == "init", kind != "app"
		fmt.Sscanf(size, "%d", &c.wants)
		counts[kind]++
		pod.containers = append(pod.containers, c)
	}
	return pod
}

// startable says whether the kubelet may start the container now. Init containers are started one after the other, each
// when those before it have ended, or run if they are sidecars; then the app containers in any order.
func (p *playedPod) startable(c *playedContainer) bool {
	for _, before := range p.containers {
		if before == c {
			return c.state == "waiting" || c.state == "exited" && !c.init
		}
		if before.first && (before.init && before.state != "exited" || before.state == "waiting") {
			return false
		}
	}
	return false
}

func (p *playedPod) appsRun() bool {
	for _, c := range p.containers {
		if !c.first && c.state != "running" {
			return false
		}
	}
	return true
}

// playedSidecars says whether the API of this release has sidecars.
var _, playedSidecars = reflect.TypeOf(v1.Container{}).FieldByName("RestartPolicy")

// object gives the pod as the API server has it. It goes through JSON: older API types lack the field restartPolicy.
func (p *playedPod) object() *v1.Pod {
	first, apps := []interface{}{}, []interface{}{}
	for _, c := range p.containers {
		cpu := "500m"
		if c.wants > 0 {
			cpu = fmt.Sprint(c.wants)
		}
		asked := map[string]string{"cpu": cpu, "memory": "1Gi"}
		each := map[string]interface{}{
			"name":      c.name,
			"resources": map[string]interface{}{"limits": asked, "requests": asked},
		}
		switch {
		case !c.first:
			apps = append(apps, each)
		case c.init:
			first = append(first, each)
		default:
			each["restartPolicy"] = "Always"
			first = append(first, each)
		}
	}
	pod := &v1.Pod{}
	throughJSON(map[string]interface{}{
		"metadata": map[string]string{"name": p.name, "namespace": "default", "uid": p.name},
		"spec":     map[string]interface{}{"initContainers": first, "containers": apps},
	}, pod)
	return pod
}

// throughJSON reads `value` as JSON into an object of an API. Fields that the API of a release lacks are left out.
func throughJSON(value, object interface{}) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, object)
	}
	if err != nil {
		panic(err)
	}
}

func objectContainer(pod *v1.Pod, name string) *v1.Container {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if containers[i].Name == name {
				return &containers[i]
			}
		}
	}
	panic("no container " + name)
}

// pod gives the pod of that name, nil if it was not created.
func (k *playedKubelet) pod(name string) *playedPod {
	for _, pod := range k.pods {
		if pod.name == name {
			return pod
		}
	}
	return nil
}

// active gives the pod of that name if it is active.
func (k *playedKubelet) active(name string) *playedPod {
	if pod := k.pod(name); pod != nil && pod.phase == "active" {
		return pod
	}
	return nil
}

// container gives an active pod and a container of it, nil if there is none.
func (k *playedKubelet) container(name, container string) (*playedPod, *playedContainer) {
	if pod := k.active(name); pod != nil {
		for _, c := range pod.containers {
			if c.name == container {
				return pod, c
			}
		}
	}
	return nil, nil
}

// --- the machine ----------------------------------------------------------------------------------------------------

// playedPeriod is the period of the loop in Start: a run says itself when a pass is due.
const playedPeriod = 1000 * time.Hour

// info gives the machine as cAdvisor finds it: only CPUs that are online. It goes through JSON: older types lack fields.
func (m playedMachine) info() *cadvisorapi.MachineInfo {
	online := m.online()
	var cores []map[string]interface{}
	for i, cpu := range online {
		if core := cpu / m.threads; i > 0 && online[i-1]/m.threads == core {
			last := cores[len(cores)-1]
			last["thread_ids"] = append(last["thread_ids"].([]int), cpu)
		} else {
			cores = append(cores, map[string]interface{}{"core_id": core, "thread_ids": []int{cpu}})
		}
	}
	info := &cadvisorapi.MachineInfo{}
	throughJSON(map[string]interface{}{
		"num_cores": len(online), "num_physical_cores": len(cores), "num_sockets": 1,
		"topology": []interface{}{map[string]interface{}{"node_id": 0, "cores": cores}},
	}, info)
	return info
}

// isOnline says whether the machine has the CPU, and it is online.
func isOnline(m playedMachine, cpu int) bool {
	for _, each := range m.online() {
		if each == cpu {
			return true
		}
	}
	return false
}

// options gives the options of the static policy.
func (m playedMachine) options() map[string]string {
	given := map[string]string{}
	if m.fullPCPUs {
		given["full-pcpus-only"] = "true"
	}
	if m.strictReservation {
		given["strict-cpu-reservation"] = "true"
	}
	return given
}

// reservation gives what the kubelet reserves.
func (m playedMachine) reservation() v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(int64(m.reserved), resource.DecimalSI)}
}
