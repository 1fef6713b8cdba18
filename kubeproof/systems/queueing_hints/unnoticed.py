"""Fields of the state of queueing-hints whose wrong value no property notices within a step, and why none has to."""

from collections.abc import Mapping

_BOOKS = "the books of the model: it bounds what the environment may do, and Kubernetes has no such field"
_LATER = "it decides of a later step: no-event-lost and the liveness properties judge what comes of the run"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "Call.args": _LATER,
    "Call.component": _LATER,
    "Goroutine.activates": _LATER,
    "Goroutine.pending_by": _LATER,
    "Goroutine.rejected_by": _LATER,
    "InFlightEvent.only_for": _LATER,
    "NodeInfo.requested_cpu": "no plugin counts what a node has left: conditions of the cluster stand in place of room",
    "Queue.move_request_cycle": "with the gate on nobody reads the cycle of the last move",
    "QueuedPodInfo.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
    "QueuedPodInfo.pending_plugins": _LATER,
    "QueuedPodInfo.timestamp": _LATER,
    "QueueingHints.incarnations": _BOOKS,
}
