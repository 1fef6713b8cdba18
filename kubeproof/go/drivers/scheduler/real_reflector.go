package scheduler

import (
	"net/http"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// TestCacheRecreateLeakReflector plays CACHE-RECREATE-LEAK with the real informer: a pod is bound, deleted and created
// again while the watch is broken, and the API server answers with 410 Gone. The informer lists again.
func TestCacheRecreateLeakReflector(t *testing.T) {
	var k *playedScheduler
	watches := make(chan *watch.RaceFreeFakeWatcher, 2)
	first := watch.NewRaceFreeFake()
	watches <- first
	scope := playedScope{pods: 1, nodes: 1, room: 1, watched: &cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (apiruntime.Object, error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			list := &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
			for _, pod := range k.pods {
				list.Items = append(list.Items, *pod.DeepCopy())
			}
			return list, nil
		},
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return <-watches, nil },
	}}
	k = newPlayedScheduler(t, scope, playedRun{Bug: "CACHE-RECREATE-LEAK, with the real informer", Property: "cache-says-what-api-server-says"})
	stop := make(chan struct{})
	defer close(stop)
	go k.podInformer.Run(stop)
	await := func(what string, is func(observed) bool) {
		for end := time.Now().Add(playedPatience); !is(k.observe()); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("not within %s: %s", playedPatience, what)
			}
		}
	}
	await("the informer has listed", func(observed) bool { return k.podInformer.HasSynced() })
	k.do("create_pod", "pod", "p1")
	first.Add(k.podWatch[0].pod)
	await("p1 is in activeQ", func(s observed) bool { return len(s.active) == 1 })
	for _, step := range []string{"pop", "schedule", "assume", "bind", "delete_pod", "recreate_pod"} {
		k.do(step, "pod", "p1")
	}
	if k.stopped != "" {
		t.Fatal(k.stopped)
	}
	watches <- watch.NewRaceFreeFake()
	first.Error(&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: http.StatusGone})
	await("the new p1 is in activeQ", func(s observed) bool { return len(s.active) == 1 && s.active[0].uid == "p1#2" })
	k.podWatch = nil
	// The handlers run one after the other, each in its goroutine: a second one may still be at work.
	time.Sleep(time.Second)
	s := k.observe()
	if each, there := s.cached["p1#1"]; there {
		t.Errorf("everything was delivered, and p1#1 on %s is in the cache, and not bound there", each.pod.node)
	}
}
