package cpumanager

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology"
)

// playedTake calls a function that takes CPUs. Releases give it a logger first, and a strategy, which is "packed" here.
func playedTake(function interface{}, arguments ...interface{}) (cpuSet, error) {
	of := reflect.TypeOf(function)
	var in []reflect.Value
	for i := 0; i < of.NumIn(); i++ {
		wanted := of.In(i)
		value := reflect.New(wanted).Elem()
		if len(arguments) > 0 && reflect.TypeOf(arguments[0]) == wanted {
			value, arguments = reflect.ValueOf(arguments[0]), arguments[1:]
		} else if wanted.Kind() == reflect.String {
			value.SetString("packed")
		}
		in = append(in, value)
	}
	if len(arguments) > 0 {
		panic(fmt.Sprintf("%v takes no %T", of, arguments[0]))
	}
	results := reflect.ValueOf(function).Call(in)
	err, _ := results[1].Interface().(error)
	return results[0].Interface().(cpuSet), err
}

// playedTopology is a machine of cores with two CPUs each: core i has the CPUs i and i + cores. numa and cache give the
// NUMA node and the uncore cache of a core.
func playedTopology(cores int, numa, cache func(core int) int) *topology.CPUTopology {
	details := topology.CPUDetails{}
	nodes, caches := map[int]bool{}, map[int]bool{}
	for core := 0; core < cores; core++ {
		nodes[numa(core)], caches[cache(core)] = true, true
		for _, cpu := range []int{core, core + cores} {
			info := topology.CPUInfo{NUMANodeID: numa(core), CoreID: core}
			// Releases up to 1.31 know no uncore caches.
			if field := reflect.ValueOf(&info).Elem().FieldByName("UncoreCacheID"); field.IsValid() {
				field.SetInt(int64(cache(core)))
			}
			details[cpu] = info
		}
	}
	topo := &topology.CPUTopology{NumCPUs: 2 * cores, NumCores: cores, NumSockets: 1, CPUDetails: details}
	for name, count := range map[string]int{"NumUncoreCache": len(caches), "NumNUMANodes": len(nodes)} {
		if field := reflect.ValueOf(topo).Elem().FieldByName(name); field.IsValid() {
			field.SetInt(int64(count))
		}
	}
	return topo
}

func playedCPUs(t *testing.T, written string) cpuSet {
	t.Helper()
	cpus, err := parseCPUSet(written)
	if err != nil {
		t.Fatal(err)
	}
	return cpus
}

// TestCpuUncoreHalfCores is CPU-UNCORE-HALF-CORES: the CPUs 2 and 3 of one uncore cache are free, each on a core whose
// other CPU is taken, and CPU 0 of another cache. Two CPUs fit into one cache.
func TestCpuUncoreHalfCores(t *testing.T) {
	r := &playedRun{
		Bug: "CPU-UNCORE-HALF-CORES", Run: "takeByTopologyNUMAPacked", Property: "what fits into one uncore cache is taken there",
		Actions: 1, t: t,
	}
	cache := func(core int) int { return core / 2 }
	topo := playedTopology(4, func(int) int { return 0 }, cache)
	taken, err := playedTake(takeByTopologyNUMAPacked, topo, playedCPUs(t, "0,2-3"), 2, true)
	if err != nil {
		t.Fatal(err)
	}
	r.taken = 1
	if !taken.Equals(playedCPUs(t, "2-3")) {
		r.atEnd(fmt.Sprintf("of the free CPUs 0,2-3 the CPUs %s are taken, and 2-3 are in one cache", taken))
	}
	r.report()
}

// TestCpuDistributeHang is CPU-DISTRIBUTE-HANG: one CPU of each of four NUMA nodes is reserved, and 14 CPUs are to be taken
// in whole cores. The call must return.
func TestCpuDistributeHang(t *testing.T) {
	r := &playedRun{
		Bug: "CPU-DISTRIBUTE-HANG", Run: "takeByTopologyNUMADistributed", Property: "Allocate returns", Actions: 1, t: t,
	}
	numa := func(core int) int { return core / 3 }
	topo := playedTopology(12, numa, numa)
	// Reserved are the CPUs 0, 3, 6 and 9.
	free := playedCPUs(t, "1-2,4-5,7-8,10-23")
	done := make(chan string, 1)
	go func() {
		taken, err := playedTake(takeByTopologyNUMADistributed, topo, free, 14, 2)
		done <- fmt.Sprint(taken, err)
	}()
	r.taken = 1
	select {
	case answer := <-done:
		t.Log(answer)
	case <-time.After(5 * time.Second):
		r.atEnd("the call has not returned after five seconds")
	}
	r.report()
}
