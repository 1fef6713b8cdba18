package scheduler

import "fmt"

// hintsAcceptedPodIsBound: A pod that every plugin accepts is eventually bound, once users and the cluster leave it alone.
func hintsAcceptedPodIsBound(before observed, action observedAction, after observed) string {
	for name := range after.pods {
		if after.acceptedNow(name) != "" {
			return fmt.Sprintf("%s is Pending for ever, though every plugin would accept the pod", name)
		}
	}
	return ""
}
