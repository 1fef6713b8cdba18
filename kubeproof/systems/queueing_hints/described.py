"""What is known of queueing-hints beside its steps: fields read, what nothing notices."""

from collections.abc import Mapping

from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.read_fields import ReadField
from kubeproof.systems.scheduling import described as of_scheduling

# --- the fields of pods that the rules of queueing-hints read, and the powers that change them ------------------------

_NO_PLUGIN = "each plugin accepts every pod or none: what a pod is does not decide"
READ_FIELDS = (
    ReadField("Pod.metadata.name", ("pods", "recreates")),
    ReadField("Pod.metadata.uid", ("recreates",)),
    ReadField("Pod.spec.priority", (), "all pods have one priority"),
    ReadField("Pod.spec.containers[].resources.requests", (), _NO_PLUGIN),
    ReadField("Pod.spec.nodeName", ("lost_replies",)),
    ReadField("Pod.spec.schedulingGates", ("gates",), "one of several gates that goes: a pod has one gate"),
    ReadField("Pod.metadata.labels", ("assigned",), "those of a pod that waits: no plugin of the scopes reads them"),
    ReadField("Pod.spec.affinity", ("assigned",)),
    ReadField("Pod.spec.tolerations", ("tolerations",)),
    ReadField("Pod.metadata.annotations", ("updates",)),
    ReadField("Pod.status.nominatedNodeName", (), "nobody preempts"),
    ReadField("Pod.metadata.deletionTimestamp", ("graceful",)),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "In place of nodes there is a cluster of a few conditions: a plugin accepts every pod if its condition holds, "
    "and rejects every pod if not.",
    "A plugin that waits for its condition has no hint function: each such event has the plugin's pods tried again. "
    "With `hint_errors` it answers an error of some events.",
    "What a failure patches is compared with the object that goes back to the queue. From 1.28 to 1.35 Go compares "
    "with the object of the attempt, which differs here if the pod was recreated meanwhile; scheduling does so.",
    "Nobody preempts (see preemption and async-preemption).",
    "Of 1.32 and later the queue and the handlers of pods are modelled; of the one handler of 1.35 "
    "`handleAssumedPodDeletion` is left out.",
    "From 1.33 on backoffs end with whole seconds, and Pop takes pods of one second by priority. Here a window is "
    "one moment.",
    "Backoffs do not grow, so rejections and errors back off alike.",
    "Without `clock` no pod backs off. With `fine=1` say `clock=1` too, else Pop finds a failed pod in activeQ while "
    "whoever hands the pod back still keeps the lock of the queue.",
)


# The gates that the system takes as off.
GATES_TAKEN = (
    GateTaken("SchedulerAsyncPreemption", of_scheduling.ASYNC_PREEMPTION),
    GateTaken("SchedulerAsyncAPICalls", of_scheduling.ASYNC_API_CALLS),
    GateTaken("OpportunisticBatching", of_scheduling.BATCHES),
    GateTaken("NodeDeclaredFeatures", of_scheduling.DECLARED_FEATURES),
    GateTaken("InPlacePodVerticalScaling", "no request of a pod changes"),
)


# --- fields of the state of queueing-hints whose wrong value no property notices within a step, and why none has to ---

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
