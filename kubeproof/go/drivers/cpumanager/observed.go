package cpumanager

// What a state of the played kubelet is, how it is compared with the run that is played, and what is told of that.

import (
	"encoding/json"
	"fmt"
	"io/ioutil"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// observedContainer is a container as the machine has it.
type observedContainer struct {
	// "pod/container", and the pod.
	name, pod string
	// init: it ends before the next container starts. first: it is among the pod's init containers, as sidecars are.
	init, first bool
	wants       int
	state       string
	// The CPUs to which it is confined, and how often it was started.
	cpus   cpuSet
	starts int
}

// observed is a state: Go's own values, and the pods around them.
type observed struct {
	// up, down or failed, and why.
	kubelet string
	failure error
	// What is configured, and what the last start that succeeded found.
	machine, startedOn playedMachine
	// The state file: "" if there is none.
	policy string
	shared cpuSet
	// Exclusive CPUs by "pod/container".
	exclusive map[string]cpuSet
	// Whether the memory of a running kubelet differs from the file.
	unwritten bool
	// What the static policy reserves and reports.
	reserved, allocatable cpuSet
	reports               bool
	// The CPU manager's memory.
	containerMap map[string]bool
	lastUpdate   map[string]cpuSet
	cpusToReuse  map[string]cpuSet
	pending      string
	sourcesReady bool
	// Phases by pod, and how far the kubelet is with each: "no", "admitting", "yes".
	phases, seen map[string]string
	admitted     map[string]int
	shapes       map[string]string
	containers   []observedContainer
}

// observedAction is what led from one state to the next.
type observedAction struct {
	name, pod, container string
	// What the Go function returned.
	err error
}

// managed says whether the kubelet runs with the static policy.
func (s observed) managed() bool {
	return s.kubelet == "up" && s.policy == "static"
}

// assigned gives every CPU that is exclusive.
func (s observed) assigned() cpuSet {
	found := cpuSet{}
	for _, cpus := range s.exclusive {
		found = found.Union(cpus)
	}
	return found
}

// container gives a container of a pod, nil if there is none.
func (s observed) container(pod, container string) *observedContainer {
	for i := range s.containers {
		if s.containers[i].name == pod+"/"+container {
			return &s.containers[i]
		}
	}
	return nil
}

func (s observed) hasContainers(pod string) bool {
	for _, c := range s.containers {
		if c.pod == pod {
			return true
		}
	}
	return false
}

// requestedMilli gives what the scheduler counts of a pod: the apps' and sidecars' CPUs together, or more if an init
// container needs more.
func (s observed) requestedMilli(pod string) int {
	apps, sidecars, peak := 0, 0, 0
	for _, c := range s.containers {
		milli := 1000 * c.wants
		if c.wants == 0 {
			milli = 500
		}
		switch {
		case c.pod != pod:
		case !c.first:
			apps += milli
		case !c.init:
			sidecars += milli
		case sidecars+milli > peak:
			peak = sidecars + milli
		}
	}
	if sidecars+apps > peak {
		return sidecars + apps
	}
	return peak
}

// runsExclusive says whether the container runs and has exclusive CPUs.
func (s observed) runsExclusive(c observedContainer) bool {
	entry, has := s.exclusive[c.name]
	return c.state == "running" && c.wants > 0 && has && !entry.IsEmpty()
}

func setOf(cpus []int) cpuSet {
	var texts []string
	for _, cpu := range cpus {
		texts = append(texts, strconv.Itoa(cpu))
	}
	set, err := parseCPUSet(strings.Join(texts, ","))
	if err != nil {
		panic(err)
	}
	return set
}

// observe reads the state.
func (k *playedKubelet) observe() observed {
	s := observed{
		kubelet: k.phase, failure: k.failure, machine: k.machine, startedOn: k.startedOn, sourcesReady: k.ready,
		exclusive: map[string]cpuSet{}, containerMap: map[string]bool{}, lastUpdate: map[string]cpuSet{},
		cpusToReuse: map[string]cpuSet{}, phases: map[string]string{}, seen: map[string]string{},
		admitted: map[string]int{}, shapes: map[string]string{},
	}
	k.readFile(&s)
	for _, pod := range k.pods {
		s.phases[pod.name], s.seen[pod.name], s.admitted[pod.name] = pod.phase, pod.seen, pod.admitted
		s.shapes[pod.name] = pod.shape
		for _, c := range pod.containers {
			s.containers = append(s.containers, observedContainer{
				name: pod.name + "/" + c.name, pod: pod.name, init: c.init, first: c.first, wants: c.wants,
				state: c.state, cpus: c.cpus, starts: c.starts,
			})
		}
	}
	if k.phase == "up" {
		k.readMemory(&s)
	}
	return s
}

// readFile reads the state file as the kubelet writes it from 1.18 on.
func (k *playedKubelet) readFile(s *observed) {
	text, err := ioutil.ReadFile(k.file())
	if os.IsNotExist(err) {
		return
	}
	var file struct {
		PolicyName    string
		DefaultCPUSet string
		Entries       map[string]map[string]string
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err == nil {
		s.policy = file.PolicyName
		s.shared, err = parseCPUSet(file.DefaultCPUSet)
	}
	for pod, containers := range file.Entries {
		for container, cpus := range containers {
			set, wrong := parseCPUSet(cpus)
			if wrong != nil {
				err = wrong
			}
			s.exclusive[pod+"/"+container] = set
		}
	}
	if err != nil {
		k.t.Fatalf("the state file %q is not one that was expected: %v", text, err)
	}
}

// readMemory reads the manager. Fields that some releases lack, or call otherwise, are looked for by name.
func (k *playedKubelet) readMemory(s *observed) {
	m := k.manager
	entries := 0
	for pod, containers := range m.state.GetCPUAssignments() {
		for container, cpus := range containers {
			written, is := s.exclusive[pod+"/"+container]
			s.unwritten = s.unwritten || !is || !written.Equals(cpus)
			entries++
		}
	}
	s.unwritten = s.unwritten || entries != len(s.exclusive) || !m.state.GetDefaultCPUSet().Equals(s.shared)
	policy, ok := m.policy.(*staticPolicy)
	if !ok {
		// Under another policy nobody reads what the manager notes further, and no run tells of it.
		return
	}
	for id := range m.containerMap {
		if pod, container, err := m.containerMap.GetContainerRef(id); err == nil {
			s.containerMap[pod+"/"+container] = true
		}
	}
	fields := reflect.ValueOf(m).Elem()
	if told := fields.FieldByName("lastUpdateState"); told.IsValid() && !told.IsNil() {
		assignments := told.Elem().Elem().FieldByName("assignments")
		for _, pod := range assignments.MapKeys() {
			containers := assignments.MapIndex(pod)
			for _, container := range containers.MapKeys() {
				s.lastUpdate[pod.String()+"/"+container.String()] = cpusOf(containers.MapIndex(container))
			}
		}
	}
	if pending := fields.FieldByName("pendingAdmissionPod"); pending.IsValid() && !pending.IsNil() {
		s.pending = pending.Elem().FieldByName("ObjectMeta").FieldByName("UID").String()
	}
	if allocatable := fields.FieldByName("allocatableCPUs"); allocatable.IsValid() {
		s.allocatable, s.reports = cpusOf(allocatable), true
	}
	fields = reflect.ValueOf(policy).Elem()
	if reused := fields.FieldByName("cpusToReuse"); reused.IsValid() {
		for _, pod := range reused.MapKeys() {
			s.cpusToReuse[pod.String()] = cpusOf(reused.MapIndex(pod))
		}
	}
	for _, name := range []string{"reserved", "reservedCPUs"} {
		if reserved := fields.FieldByName(name); reserved.IsValid() {
			s.reserved = cpusOf(reserved)
		}
	}
}

// cpusOf reads a CPUSet in a field that is not exported.
func cpusOf(set reflect.Value) cpuSet {
	var cpus []int
	for _, cpu := range set.FieldByName("elems").MapKeys() {
		cpus = append(cpus, int(cpu.Int()))
	}
	return setOf(cpus)
}

// facts tells the state in words, as pages of kubeproof do: what a run that is played says of each state.
func (s observed) facts() map[string]string {
	machine := "CPUs " + setOf(s.machine.online()).String()
	if len(s.machine.offline) > 0 {
		machine += ", offline " + setOf(s.machine.offline).String()
	}
	configured := fmt.Sprintf("policy %s, %d CPUs reserved", s.machine.policy, s.machine.reserved)
	if s.machine.reserved == 1 {
		configured = strings.Replace(configured, "CPUs", "CPU", 1)
	}
	if s.machine.fullPCPUs {
		configured += ", full-pcpus-only"
	}
	if s.machine.strictReservation {
		configured += ", strict-cpu-reservation"
	}
	f := map[string]string{"machine": machine, "kubelet configuration": configured, "kubelet": s.kubelet}
	f["cpu_manager_state"] = "there is no file"
	if s.policy != "" {
		f["cpu_manager_state"] = fmt.Sprintf("policy %s, defaultCpuSet %s", s.policy, orElse(s.shared.String(), "empty"))
	}
	if s.unwritten {
		f["cpu_manager_state: memory"] = "is not what is in the file"
	}
	for key, cpus := range s.exclusive {
		f["cpu_manager_state: "+key] = "CPUs " + orElse(cpus.String(), "none")
	}
	for pod, phase := range s.phases {
		seen := map[string]string{"no": "not seen by the kubelet", "admitting": "in admission", "yes": "admitted"}[s.seen[pod]]
		if s.admitted[pod] > 0 {
			seen += fmt.Sprintf(" after container %d", s.admitted[pod])
		}
		switch phase {
		case "active":
			f["pod "+pod] = "active, " + seen
		case "succeeded", "failed":
			f["pod "+pod] = strings.Title(phase)
		}
	}
	for _, c := range s.containers {
		switch c.state {
		case "running":
			f["container "+c.name] = "runs on CPUs " + orElse(c.cpus.String(), "none")
		case "exited":
			f["container "+c.name] = "exited"
		}
	}
	if s.kubelet == "up" {
		s.memory(f)
	}
	return f
}

// memory tells what the running CPU manager knows and remembers.
func (s observed) memory(f map[string]string) {
	var known []string
	if !s.reserved.IsEmpty() {
		known = append(known, "reserves CPUs "+s.reserved.String())
	}
	if s.reports {
		known = append(known, "allocatable CPUs "+s.allocatable.String())
	}
	if !reflect.DeepEqual(s.machine, s.startedOn) {
		on := setOf(s.startedOn.online()).String()
		known = append(known, fmt.Sprintf("started on CPUs %s with policy %s", on, s.startedOn.policy))
	}
	if s.sourcesReady {
		known = append(known, "sources ready")
	}
	if s.pending != "" {
		known = append(known, "pendingAdmissionPod "+s.pending)
	}
	var mapped, told, reused []string
	for key := range s.containerMap {
		mapped = append(mapped, key)
	}
	for key, cpus := range s.lastUpdate {
		told = append(told, key+" on "+orElse(cpus.String(), "no CPU"))
	}
	for pod, cpus := range s.cpusToReuse {
		reused = append(reused, orElse(cpus.String(), "none")+" by "+pod)
	}
	for subject, list := range map[string][]string{
		"containerMap": mapped, "lastUpdateState": told, "cpusToReuse": reused,
	} {
		if len(list) > 0 {
			sort.Strings(list)
			f["CPU manager: "+subject] = strings.Join(list, separator(list))
		}
	}
	if len(known) > 0 {
		f["CPU manager"] = strings.Join(known, separator(known))
	}
}

// separator is what stands between the items of a list.
func separator(list []string) string {
	for _, item := range list {
		if strings.Contains(item, ", ") {
			return "; "
		}
	}
	return ", "
}

func orElse(text, empty string) string {
	if text == "" {
		return empty
	}
	return text
}

// observedProperty is what must hold of each action: "" or what is wrong.
type observedProperty func(before observed, action observedAction, after observed) string

// mustHold has the property asked after each action.
func (k *playedKubelet) mustHold(property observedProperty) {
	k.property = property
}

// act takes an action and asks the property.
func (k *playedKubelet) act(name, pod, container string, does func() error) {
	k.t.Helper()
	before, what := k.observe(), name
	if pod != "" {
		what += " " + pod
	}
	if container != "" {
		what += "/" + container
	}
	k.take(what, does, func(err error) string {
		if k.property == nil {
			return ""
		}
		return k.property(before, observedAction{name, pod, container, err}, k.observe())
	})
}

// state compares the state with that of the run: see playedRun.
func (k *playedKubelet) state(changes ...string) {
	k.t.Helper()
	k.compare(k.observe().facts(), changes)
}

// finally asks a property of what is so after all that is fair has happened again and again.
func (k *playedKubelet) finally(property observedProperty) {
	k.t.Helper()
	s := k.observe()
	k.atEnd(property(s, observedAction{}, s))
}
