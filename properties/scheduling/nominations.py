"""Properties of nominations."""

from model.machine import Action
from model.objects import Pod
from model.systems.scheduling.records import Goroutine
from properties.property import Invariant, StepInvariant
from properties.scheduling.view import (
    State,
    at_rest,
    attempts,
    events_of,
    goroutines,
    listed,
    live,
    node_names,
    nominated_pods,
    pending,
    really_free,
    thread_of,
)


def _busy(state: State, name: str) -> bool:
    return any(g.pod.name == name for g in goroutines(state))


def _left_over(state: State) -> list[tuple[str, Pod]]:
    """Nominations of pods that are bound or gone, when no event and no goroutine of the pod is under way any more.

    A nomination for the node "" keeps no room. `named` finds such a nomination.
    """
    found = []
    for node, pod in nominated_pods(state):
        if not node:
            continue
        current = listed(state, pod.name)
        if current is not None and current.uid == pod.uid and not current.node_name:
            continue
        if not events_of(state, pod.name) and not _busy(state, pod.name):
            found.append((node, pod))
    return found


def pending_if_nominated(state: State) -> bool:
    return not state.queue.nominator.nominated_pods or bool(state.crashed) or not _left_over(state)


def _explain_left_over(state: State) -> str:
    node, pod = _left_over(state)[0]
    current = listed(state, pod.name)
    is_now = "gone" if current is None or current.uid != pod.uid else f"bound to {current.node_name}"
    return f"{pod.uid} is {is_now} and stays nominated to {node}, where room is kept for it"


def _nominated(state: State) -> bool:
    return bool(state.queue.nominator.nominated_pods)


def _twice(state: State) -> list[str]:
    places: dict[str, list[str]] = {}
    for node, pod in nominated_pods(state):
        places.setdefault(pod.uid, []).append(node)
    return [f"{uid} is nominated to {' and '.join(nodes)}" for uid, nodes in places.items() if len(nodes) > 1]


def one_node(state: State) -> bool:
    return not _twice(state)


def _explain_twice(state: State) -> str:
    return _twice(state)[0]


def named(state: State) -> bool:
    return all(node for node, _ in state.queue.nominator.nominated_pods)


def _explain_unnamed(state: State) -> str:
    pod = next(pod for node, pod in nominated_pods(state) if not node)
    return f'{pod.name} is nominated to the node ""'


# --- what nominations keep from others -------------------------------------------------------------------------------


def _could_come(state: State, pod: Pod, node: str) -> bool:
    """Whether a nominated pod may still be placed: the node exists, and has room or pods of lower priority."""
    if node not in node_names(state):
        return False
    lower = sum(p.cpu_milli for p in state.pods if p is not None and p.node_name == node and p.priority < pod.priority)
    return pod.cpu_milli <= really_free(state, node) + lower


def _dead(state: State) -> list[tuple[str, str]]:
    """At rest: pending pods that are nominated to a node that does not exist, or that can never take them."""
    if not at_rest(state):
        return []
    return [
        (pod.name, node)
        for node, pod in nominated_pods(state)
        if node and pending(state, pod) and not _could_come(state, pod, node)
    ]


def nominations_can_come_true(state: State) -> bool:
    return not _dead(state)


def _explain_dead(state: State) -> str:
    name, node = _dead(state)[0]
    there = "has neither room nor pods of lower priority" if node in node_names(state) else "does not exist"
    return f"{name} stays nominated to {node}, which {there}"


# --- the room that victims left --------------------------------------------------------------------------------------


def robbed(before: State, taker: Goroutine | None, node: str) -> Pod | None:
    """A pod of higher priority whose room on the node, made by preemption, is given to the pod of `taker`; or None."""
    if taker is None:
        return None
    for pod in before.pods:
        if pod is None or pod.node_name or pod.nominated_node_name != node or pod.uid == taker.pod.uid:
            continue
        if pod.priority <= taker.pod.priority or attempts(before, pod.uid):
            continue
        held = sum(g.pod.cpu_milli for g in before.bindings if g.pod.node_name == node and live(before, g.pod.name))
        if really_free(before, node) - held < pod.cpu_milli + taker.pod.cpu_milli:
            return pod
    return None


def _robbed(before: State, action: Action) -> Pod | None:
    return robbed(before, thread_of(before, action), action["node"])


def room_is_kept(before: State, action: Action, after: State) -> bool:
    return _robbed(before, action) is None


def some_wait(before: State, action: Action, after: State) -> bool:
    return any(pod is not None and pod.nominated_node_name and not pod.node_name for pod in before.pods)


def _explain_robbed(before: State, action: Action, after: State) -> str:
    pod = _robbed(before, action)
    assert pod is not None
    return f"{action['pod']} takes the room on {action['node']} that was made for {pod.name}, of higher priority"


NOMINATED_IS_PENDING = Invariant(
    name="nominated-pod-is-pending",
    sentence="No pod that is bound or gone stays nominated.",
    broken_by=("skip_terminating_pod", "add_unchecked"),
    holds=pending_if_nominated,
    premise=_nominated,
    explain=_explain_left_over,
)
NOMINATED_ONCE = Invariant(
    name="nominated-to-one-node",
    sentence="A pod is nominated to one node at most.",
    broken_by=("add_by_status",),
    holds=one_node,
    premise=_nominated,
    explain=_explain_twice,
)
NOMINATED_NODE_NAMED = Invariant(
    name="nominated-node-has-a-name",
    sentence='No pod is nominated to the node "".',
    broken_by=("add_overriding", "add_overriding_unless_bound", "add_reference"),
    holds=named,
    premise=_nominated,
    explain=_explain_unnamed,
)
NOMINATION_CAN_COME_TRUE = Invariant(
    name="nomination-can-come-true",
    sentence="When nothing is under way, no pending pod is nominated to a node where it can no longer be placed.",
    broken_by=("keep_nomination",),
    holds=nominations_can_come_true,
    premise=lambda state: _nominated(state) and at_rest(state),
    explain=_explain_dead,
)
ROOM_IS_KEPT = StepInvariant(
    name="preempted-room-is-kept",
    sentence="No pod of lower priority is assumed into the room that preemption made for another.",
    broken_by=("nominated_by_status_only",),
    actions=frozenset({"assume"}),
    holds=room_is_kept,
    premise=some_wait,
    explain=_explain_robbed,
)
