package scheduler

// The real informer of pods, with its reflector, in place of the world's. What the API server sends goes through a watch, and
// handlers run in goroutines of their own. One action of a run is still one event: it is over when no handler runs.

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// playedReflector is what the reflector lists and watches.
type playedReflector struct {
	*cache.ListWatch
	k *playedScheduler
	// The watch, and the next ones.
	watch   *watch.RaceFreeFakeWatcher
	watches chan *watch.RaceFreeFakeWatcher
	// What the next list has, and how many differences to the store it will tell.
	list        *v1.PodList
	differences int
}

// IsWatchListSemanticsUnSupported has the reflector of 1.35 and later list before it watches, as older ones do.
func (*playedReflector) IsWatchListSemanticsUnSupported() bool { return true }

func newPlayedReflector(k *playedScheduler) *playedReflector {
	r := &playedReflector{k: k, watch: watch.NewRaceFreeFake(), watches: make(chan *watch.RaceFreeFakeWatcher, 1)}
	r.watches <- r.watch
	r.listed()
	r.ListWatch = &cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (apiruntime.Object, error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			return r.list, nil
		},
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return <-r.watches, nil },
	}
	return r
}

// run starts the informer, and waits until it has listed.
func (r *playedReflector) run(stop <-chan struct{}) error {
	go r.k.podInformer.Run(stop)
	return r.await("the informer has listed", r.k.podInformer.HasSynced)
}

// listed notes what a list has now.
func (r *playedReflector) listed() {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	r.list = &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(r.k.version)}}
	for _, pod := range r.k.pods {
		r.list.Items = append(r.list.Items, *pod.DeepCopy())
	}
}

// broken says that the watch breaks now: the reflector lists when the first difference is delivered.
func (r *playedReflector) broken() {
	r.listed()
	r.differences = len(r.k.podWatch)
}

// deliver has the informer hear of the oldest event.
func (r *playedReflector) deliver(event playedPodEvent) error {
	switch {
	case r.differences > 1:
		return fmt.Errorf("a list tells %d differences at once", r.differences)
	case r.differences == 1:
		next := watch.NewRaceFreeFake()
		r.watches <- next
		r.watch.Error(&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: http.StatusGone})
		r.watch, r.differences = next, 0
	case event.kind == "add":
		r.watch.Add(event.pod)
	case event.kind == "delete":
		r.watch.Delete(event.pod)
	default:
		r.watch.Modify(event.pod)
	}
	return r.await("the informer knows "+event.pod.Name, func() bool {
		known := r.k.known(event.pod.Name)
		if event.kind == "delete" {
			return known == nil
		}
		return known != nil && known.ResourceVersion == event.pod.ResourceVersion
	})
}

// await waits until something is so, and no handler runs, for a while.
func (r *playedReflector) await(what string, is func() bool) error {
	quiet := 0
	for end := time.Now().Add(playedPatience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		stacks := playedStacks()
		quiet++
		if !is() || strings.Contains(stacks, ".OnAdd(") || strings.Contains(stacks, ".OnUpdate(") || strings.Contains(stacks, ".OnDelete(") {
			quiet = 0
		}
		r.k.mu.Lock()
		crashed := r.k.crashed != ""
		r.k.mu.Unlock()
		if quiet == 10 || crashed {
			return nil
		}
	}
	return fmt.Errorf("not within %s: %s", playedPatience, what)
}
