package scheduler

import "fmt"

// noFailureOfBoundPod: No FailedScheduling event is made for a pod that is bound.
func noFailureOfBoundPod(before observed, action observedAction, after observed) string {
	for uid, times := range after.failures {
		pod, there := before.pods[podNameOf(uid)]
		if times > before.failures[uid] && there && pod.uid == uid && pod.node != "" {
			return fmt.Sprintf("FailedScheduling is recorded for %s, which is bound to %s", uid, pod.node)
		}
	}
	return ""
}
