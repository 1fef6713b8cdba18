"""The properties of api-calls."""

from model.scheduler.api_calls import POD_BINDING
from model.systems.api_calls import ApiCalling
from model.systems.api_calls.records import SCHEDULED, is_quiet
from properties.property import Invariant, Property


def _waits(state: ApiCalling) -> bool:
    """Nothing is under way, and the pod waits for another attempt."""
    return is_quiet(state) and not state.true.node


def _is_bound(state: ApiCalling) -> bool:
    return is_quiet(state) and bool(state.true.node)


def _nominated(state: ApiCalling) -> str:
    return state.true.status.nominated_node_name


def _node(name: str) -> str:
    return name or "no node"


def _explain_nomination(state: ApiCalling) -> str:
    meant = _node(state.meant.nominated_node_name)
    return f"nothing is under way; the scheduler wanted {meant} last, and the API server has {_node(_nominated(state))}"


def _explain_condition(state: ApiCalling) -> str:
    meant, found = state.meant.condition, state.true.status.condition
    return f"nothing is under way; the last attempt ended with {meant}, and the condition says {found or 'nothing'}"


def _explain_memory(state: ApiCalling) -> str:
    return (
        f"nothing is under way; the scheduler has the pod nominated to {_node(state.memory)}, and the API server to "
        f"{_node(_nominated(state))}"
    )


PROPERTIES: tuple[Property, ...] = (
    Invariant(
        name="nomination-is-as-meant",
        sentence="When nothing is under way, a pod that waits is nominated to the node that the scheduler named last.",
        broken_by=("patch_from_attempted_pod", "patch_from_pod_that_goes_back"),
        holds=lambda state: not _waits(state) or _nominated(state) == state.meant.nominated_node_name,
        premise=_waits,
        explain=_explain_nomination,
    ),
    Invariant(
        name="nominated-in-memory-as-in-api",
        sentence="When nothing is under way, a pod that waits is nominated in memory as it is at the API server.",
        broken_by=("patch_from_attempted_pod", "merge_patches"),
        holds=lambda state: not _waits(state) or state.memory == _nominated(state),
        premise=_waits,
        explain=_explain_memory,
    ),
    Invariant(
        name="condition-is-of-last-attempt",
        sentence="When nothing is under way, the condition PodScheduled of a pod that waits tells of its last attempt.",
        broken_by=("patch_from_attempted_pod", "patch_from_pod_that_goes_back"),
        holds=lambda state: not _waits(state) or state.true.status.condition == state.meant.condition,
        premise=_waits,
        explain=_explain_condition,
    ),
    Invariant(
        name="bound-pod-is-shown-bound",
        sentence="When nothing is under way, the condition PodScheduled of a bound pod is True.",
        broken_by=("patch_from_attempted_pod", "patch_from_pod_that_goes_back"),
        holds=lambda state: not _is_bound(state) or state.true.status.condition == SCHEDULED,
        premise=_is_bound,
        explain=lambda state: (
            f"the pod is bound to {state.true.node}, and PodScheduled is False: {state.true.status.condition}"
        ),
    ),
    Invariant(
        name="bound-if-said-so",
        sentence="A pod that the scheduler takes for bound is bound, and to this node.",
        broken_by=("patch_goes_first",),
        holds=lambda state: state.place != "bound" or state.true.node == state.host,
        premise=lambda state: state.place == "bound",
        explain=lambda state: (
            f"the binding to {state.host} ended well, and the pod is bound to {_node(state.true.node)}"
        ),
    ),
    Invariant(
        name="answered-when-done",
        sentence="Nobody is told that a call is overwritten while the call is in flight.",
        broken_by=("answer_call_in_flight", "same_type_answers_call_in_flight"),
        holds=lambda state: not state.told_early,
        premise=lambda state: bool(state.dispatcher.in_flight),
        explain=lambda state: "who waits for a call was told that it is overwritten, while the API server is asked",
    ),
)


def patch_goes_first(old: str, new: str) -> bool:
    """A PATCH takes the place of a Binding that waits, and no Binding that of a PATCH."""
    return old != POD_BINDING and new == POD_BINDING


# Rules that are wrong on purpose. Each breaks a property that no release breaks.
MUTANTS = {"is_less_relevant": (patch_goes_first,)}
