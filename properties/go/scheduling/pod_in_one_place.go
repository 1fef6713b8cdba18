package scheduler

import "fmt"

// podInOnePlace: A pod is in at most one place: activeQ, the backoff queue, unschedulableQ, or an attempt to place it.
func podInOnePlace(before observed, action observedAction, after observed) string {
	places := map[string]string{}
	put := func(pod observedPod, place string) string {
		if other, there := places[pod.uid]; there {
			return fmt.Sprintf("%s is in %s and in %s", pod.uid, other, place)
		}
		places[pod.uid] = place
		return ""
	}
	for _, each := range after.goroutines {
		// What comes after a failure only handles the failure.
		if each.next == "requeue" || each.next == "add_nominated_pod" || each.next == "post_filter" {
			continue
		}
		if twice := put(each.pod, "an attempt that goes on with "+each.next); twice != "" {
			return twice
		}
	}
	for place, pods := range map[string][]observedPod{
		"activeQ": after.active, "the backoff queue": after.backoff, "unschedulableQ": after.unschedule,
	} {
		for _, pod := range pods {
			if twice := put(pod, place); twice != "" {
				return twice
			}
		}
	}
	return ""
}
