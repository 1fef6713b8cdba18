"""What is known of api-calls beside its steps: powers taken, fields read, what nothing notices."""

from collections.abc import Iterable, Iterator, Mapping

from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.read_fields import ReadField
from model.machine import Action
from model.systems.api_calls import ApiCallsScope

# --- which powers of the environment a run of api-calls makes use of --------------------------------------------------

_OF_ACTION = {"refuse_binding": "refusals", "clear_nomination": "clears", "bind": "pre_bind"}


def powers_taken(scope: ApiCallsScope, actions: Iterable[Action]) -> Iterator[str]:
    """The bounds that let the actions happen."""
    yield from (_OF_ACTION[action.name] for action in actions if action.name in _OF_ACTION)


# --- the fields of pods that the rules of api-calls read, and the powers that change them -----------------------------

READ_FIELDS = (
    ReadField("Pod.status.nominatedNodeName", ("clears",), "a node that somebody else than the scheduler writes"),
    ReadField("Pod.status.conditions", ("refusals",), "a condition that somebody else writes"),
    ReadField("Pod.metadata.uid", (), "a pod that is deleted, or created again, while a call waits"),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "There are no other pods, so no other pod's calls delay a Binding (#135900, for which the gate was switched "
    "off): that is a matter of time.",
    "No PATCH fails, no reply is lost, and there is no limit of goroutines in 1.34.",
)


# The gates that the system takes as off.
GATES_TAKEN = (GateTaken("SchedulerAsyncPreemption", "nobody preempts (see async-preemption)"),)


# --- fields of the state of api-calls in which no property notices a wrong value in a step, and why none has to -------

_COUNTS = "counts how often something happened, and bounds the runs with it"
_LATER = "decides in a later step what the API server is asked for"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "ApiCalling.attempts": _COUNTS,
    "ApiCalling.refusals": _COUNTS,
    "CallQueue.calls_queue": "no rule decides it; the tests hold that every call comes to its end",
    "LatePatch.status": _LATER,
    "PodBindingCall.node": _LATER,
    "PodStatusPatchCall.pod_status": _LATER,
}
