package scheduler

import "fmt"

// queuedPodIsTheSchedulersOwn: The queue has no pod that names another scheduler.
func queuedPodIsTheSchedulersOwn(before observed, action observedAction, after observed) string {
	for _, queue := range [][]observedPod{after.active, after.backoff, after.unschedule} {
		for _, pod := range queue {
			if pod.scheduler == playedOtherScheduler {
				return fmt.Sprintf("%s is in the queue, and its schedulerName is that of another scheduler", pod.uid)
			}
		}
	}
	return ""
}
