"""A property of preemption: a pod preempts where that makes room."""

from collections.abc import Iterator

from model.machine import Action
from model.objects import Pod
from model.scheduler.queue.nominator import pods_for_node
from model.systems.scheduling.fitting import nodes_of, tolerates
from properties.property import StepInvariant
from properties.scheduling.view import State, listed, live, may_go

# The steps in whose actions preemption decides: up to 1.18, and later.
DECIDING = frozenset({"preempt", "post_filter"})


def _preemptor(state: State) -> Pod | None:
    """The pod of the scheduling cycle, where API server and informer agree that it is pending; or None.

    Up to 1.18 preemption asks the API server for the pod, later the informer.
    """
    if state.cycle is None:
        return None
    pod, known = live(state, state.cycle.pod.name), listed(state, state.cycle.pod.name)
    if pod is None or known is None or not pod.uid == known.uid == state.cycle.pod.uid:
        return None
    # An update that is under way may change what the pod asks for, or where the pod may be.
    if (pod.cpu_milli, pod.labels) != (known.cpu_milli, known.labels) or pod.terminating or known.terminating:
        return None
    return None if pod.node_name or known.node_name or _waits(state, pod, known) else pod


def _waits(state: State, *versions: Pod) -> bool:
    """Whether a pod terminates on a node to which the pod is nominated: the pod may wait for that room."""
    nominated = {pod.nominated_node_name for pod in versions}
    return any(pod.terminating for info in nodes_of(state.snapshot) if info.name in nominated for pod in info.pods)


def _kept(state: State, node: str, pod: Pod) -> int:
    """Milli-CPU kept on the node for others of the pod's priority or higher that are nominated there.

    The nominator of 1.31 and later keeps names alone. The most counts that the API server or the informer says of each.
    """
    kept = 0
    for other in pods_for_node(state.queue.nominator, node):
        known = (live(state, other.name), listed(state, other.name))
        said = [other, *(each for each in known if each is not None and each.uid == other.uid)]
        if other.uid != pod.uid and max(each.priority for each in said) >= pod.priority:
            kept += max(each.cpu_milli for each in said)
    return kept


def room_can_be_made(state: State) -> Iterator[str]:
    """The nodes of the snapshot that have no room, and have room for the pod once all pods of lower priority go."""
    pod = _preemptor(state)
    if pod is None:
        return
    for info in nodes_of(state.snapshot):
        if not tolerates(info.node, pod) or not may_go(state, info.name):
            continue
        free = info.allocatable_cpu - info.requested_cpu
        lower = sum(each.cpu_milli for each in info.pods if each.priority < pod.priority)
        if free < pod.cpu_milli + _kept(state, info.name, pod) <= free + lower:
            yield info.name


def makes_room(before: State, action: Action, after: State) -> bool:
    return "node" in dict(action.args) or next(room_can_be_made(before), None) is None


def room_is_there(before: State, action: Action, after: State) -> bool:
    return next(room_can_be_made(before), None) is not None


def explain_no_node(before: State, action: Action, after: State) -> str:
    return f"{action['pod']} preempts nobody, and less important pods keep it from {next(room_can_be_made(before))}"


PREEMPTS_FOR_ROOM = StepInvariant(
    name="preempts-if-that-makes-room",
    sentence="If the deletion of less important pods makes room for a pod on a node, the pod preempts on some node.",
    broken_by=("preempts_nowhere",),
    actions=DECIDING,
    holds=makes_room,
    premise=room_is_there,
    explain=explain_no_node,
)
