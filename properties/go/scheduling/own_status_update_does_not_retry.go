package scheduler

import (
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
)

// ownStatusUpdateDoesNotRetry: The scheduler's own update of the status of a pod that failed does not put it into activeQ.
func ownStatusUpdateDoesNotRetry(before observed, action observedAction, after observed) string {
	if action.name != "deliver_pod" || len(before.podWatch) == 0 || before.podWatch[0].kind != "update" {
		return ""
	}
	pod := before.podWatch[0].pod
	old, known := before.listed[pod.Name]
	if !known || old.UID != pod.UID || len(before.goroutinesOf(pod.Name)) > 0 || !onlyStatusDiffers(old, pod) {
		return ""
	}
	if !inQueue(before.active, pod) && inQueue(after.active, pod) {
		return fmt.Sprintf("the scheduler's own status update of %s puts it into activeQ: it is tried again at once", pod.Name)
	}
	return ""
}

// onlyStatusDiffers says whether the condition or the nomination differs, and nothing that users write.
func onlyStatusDiffers(old, new *v1.Pod) bool {
	same := reflect.DeepEqual(old.Spec, new.Spec) && reflect.DeepEqual(old.Labels, new.Labels) &&
		reflect.DeepEqual(old.Annotations, new.Annotations) && reflect.DeepEqual(old.Finalizers, new.Finalizers) &&
		new.DeletionTimestamp == nil && new.Spec.NodeName == ""
	status := playedCondition(old) != playedCondition(new) || old.Status.NominatedNodeName != new.Status.NominatedNodeName
	return same && status
}

func inQueue(queue []observedPod, pod *v1.Pod) bool {
	for _, each := range queue {
		if each.name == pod.Name {
			return true
		}
	}
	return false
}
