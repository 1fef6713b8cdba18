"""What is known of async-preemption beside its steps: powers taken, fields read, what nothing notices."""

from collections.abc import Iterable, Iterator, Mapping

from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.read_fields import ReadField
from model.machine import Action
from model.systems.async_preemption import AsyncPreemptionScope

# --- which powers of the environment a run of async-preemption makes use of -------------------------------------------

_OF_ACTION = {
    "delete_pod": "deletions",
    "fail_request": "failures",
    "hold_at_permit": "waiting",
    "store_event": "lag",
}


def powers_taken(scope: AsyncPreemptionScope, actions: Iterable[Action]) -> Iterator[str]:
    """The bounds that let the actions happen."""
    yield from (_OF_ACTION[action.name] for action in actions if action.name in _OF_ACTION)


# --- the fields of pods that the rules of async-preemption read, and the powers that change them ----------------------

READ_FIELDS = (
    ReadField("Pod.metadata.deletionTimestamp", ("deletions",)),
    ReadField("Pod.status.conditions", ("goroutines",), "a condition that somebody else writes"),
    ReadField("Pod.status.nominatedNodeName", (), "other nominated pods, whose nominations a preemption takes back"),
    ReadField("Pod.spec.schedulingGroup", (), "pod groups (1.36)"),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "Of the queue only the place of the pod that preempts is kept. There is no flush, and there are no other pods.",
    "There is no choice of nodes. No pod is in PreBind.",
)


# The gates that the system takes as off.
GATES_TAKEN = (GateTaken("SchedulerAsyncAPICalls", "the API dispatcher makes the requests (see api-calls)"),)


# --- fields of the state of async-preemption in which no property notices a wrong value in a step, and why none has to

_LATER = "decides what the informer tells later: the properties read what the scheduler knows then"
_REQUESTS = "decides which request comes next: the properties read whether a preemption runs, and who is gone"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "AsyncPreempting.events": _LATER,
    "AsyncPreempting.listed": "PreEnqueue asks the store in a later step, when an event comes for the preemptor",
    "AsyncPreempting.stored": _LATER,
    "AsyncPreempting.true": _REQUESTS,
    "Goroutine.all_gone": "decides in the last step of a goroutine, and that in 1.34.0 and 1.34.1 alone",
    "Goroutine.last": _REQUESTS,
    "Goroutine.marked": _REQUESTS,
    "Goroutine.others": _REQUESTS,
    "PodEvent.phase": _LATER,
    "PodEvent.victim": _LATER,
    "Preempting.last_victim": "PreEnqueue asks it in a later step, when an event comes for the preemptor",
}
