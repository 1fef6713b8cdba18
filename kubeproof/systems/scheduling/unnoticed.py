"""Fields of the state of scheduling in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

_BOOKS = "the books of the model: it bounds what the environment may do, and Kubernetes has no such field"
_LATER = "it decides of a later step: no-event-lost and the liveness properties judge what comes of the run"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "BackoffEntry.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
    "Goroutine.at_hand": "it decides of a later step: the properties judge what its request changes",
    "Goroutine.cycle": _LATER,
    "Goroutine.rejected_by": "the measure of rejected-by-last-attempt: nothing else says who rejects a pod",
    "Goroutine.victims": "who is preempted: nothing here says which victims are right",
    "NodeTree.zone_index": "where the next list begins: node-listing judges what lists hold one after the other",
    "NodeTree.zones": "another name of a zone: the order of the arrays is what is listed",
    "Pod.finalizers": "read only where an update of an assumed pod is compared",
    "Queue.move_request_cycle": _LATER,
    "QueuedPodInfo.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
    "Scheduling.incarnations": _BOOKS,
}
