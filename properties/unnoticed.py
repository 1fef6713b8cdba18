"""Fields of the state in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

_BOOKS = "the books of the model: it bounds what the environment may do, and Kubernetes has no such field"
_LATER = "it decides of a later step: no-event-lost and the liveness properties judge what comes of the run"
_LAST_ADMITTED = "a part of what the manager remembers of the last admitted pod, of which only the name is asked"

# System -> field -> the reason.
UNNOTICED: Mapping[str, Mapping[str, str]] = {
    "node-listing": {
        "NodeTree.zone_index": "it decides which zone is listed first, and any zone may be",
        "NodeTree.zones": "another name of a zone: the order of the arrays is what is listed",
    },
    "cpu-manager": {
        "CPUManagerSystem.used": _BOOKS,
        "Used.crashes": _BOOKS,
        "ContainerSpec.cpu": _LAST_ADMITTED,
        "ContainerSpec.name": _LAST_ADMITTED,
        "ContainerSpec.restartable": _LAST_ADMITTED,
        "Kubelet.error": "a text for people: nothing depends on it",
        "Manager.last_update_state": "what a container was told last: shared-off-exclusive notices who is told no more",
        "PodSpec.app": _LAST_ADMITTED,
        "PodSpec.init": _LAST_ADMITTED,
        "Used.exits": _BOOKS,
        "Used.restarts": _BOOKS,
    },
    "scheduling": {
        "BackoffEntry.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
        "Goroutine.cycle": _LATER,
        "Goroutine.rejected_by": "the measure of rejected-by-last-attempt: nothing else says who rejects a pod",
        "Goroutine.victims": "who is preempted: nothing here says which victims are right",
        "Pod.finalizers": "read only where an update of an assumed pod is compared",
        "Queue.move_request_cycle": _LATER,
        "QueuedPodInfo.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
        "QueuedPodInfo.timestamp": "another time is as right as this one: it orders pods, and a backoff begins with it",
        "Scheduling.incarnations": _BOOKS,
    },
}
