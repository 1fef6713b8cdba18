package scheduler

import (
	"context"
	"fmt"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
)

// TestFilterStartParallelNodes is FILTER-START-PARALLEL on 120 nodes: Go ends a search when 100 nodes have room. In each
// of two searches one worker is late: it has taken eight nodes, and it asks the first of them until the search is over. It
// asks none of the others, and the next search begins behind them. A search that goes on where the last one ended asks each
// node within two searches.
func TestFilterStartParallelNodes(t *testing.T) {
	k := newPlayedScheduler(t, playedScope{pods: 2, nodes: 120, room: 2}, playedRun{
		Bug: "FILTER-START-PARALLEL", Run: "120 nodes", Property: "node-is-examined-in-turn", Actions: 10,
	})
	late := &playedLate{playedRealFramework: k.sched.Profiles[v1.DefaultSchedulerName], asked: map[string]bool{}}
	k.sched.Profiles[v1.DefaultSchedulerName] = late
	for _, search := range []struct{ pod, late string }{{"p1", "n1"}, {"p2", "n117"}} {
		late.node = search.late
		for _, step := range []string{"create_pod", "deliver_pod", "pop", "schedule", "assume"} {
			k.do(step, "pod", search.pod)
		}
	}
	if k.stopped != "" {
		t.Fatal(k.stopped)
	}
	for i := 1; i <= len(k.nodes); i++ {
		if name := fmt.Sprintf("n%d", i); !late.asked[name] {
			k.atEnd(fmt.Sprintf("%s is asked in neither of two searches", name))
			return
		}
	}
}

// playedLate is the framework in which the filters of one node take until the search is over.
type playedLate struct {
	playedRealFramework
	node string

	mu    sync.Mutex
	asked map[string]bool
}

func (f *playedLate) RunFilterPluginsWithNominatedPods(ctx context.Context, state playedCycleState, pod *v1.Pod, node playedAskedNode) *playedStatus {
	f.mu.Lock()
	f.asked[node.Node().Name] = true
	f.mu.Unlock()
	if node.Node().Name == f.node {
		<-ctx.Done()
	}
	return f.playedRealFramework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
}
