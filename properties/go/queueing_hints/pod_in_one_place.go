package scheduler

import "fmt"

// hintsPodInOnePlace: A pod is in at most one sub-queue, and in none while an attempt of this pod goes on.
func hintsPodInOnePlace(before observed, action observedAction, after observed) string {
	places := map[string]string{}
	put := func(uid, place string) string {
		if other, there := places[uid]; there {
			return fmt.Sprintf("%s is in %s and in %s", uid, other, place)
		}
		places[uid] = place
		return ""
	}
	queues := []struct {
		name string
		pods []observedPod
	}{{"activeQ", after.active}, {"backoffQ", after.backoff}, {"unschedulablePods", after.unschedule}}
	for _, queue := range queues {
		for _, pod := range queue.pods {
			if twice := put(pod.uid, queue.name); twice != "" {
				return twice
			}
		}
	}
	goesOn := map[string]bool{"schedule": true, "assume": true, "done_after_permit": true, "pre_bind": true, "bind": true}
	for _, each := range after.goroutines {
		if place, queued := places[each.pod.uid]; queued && goesOn[each.next] {
			return fmt.Sprintf("%s is in %s and in an attempt that goes on with %s", each.pod.uid, place, each.next)
		}
	}
	return ""
}
