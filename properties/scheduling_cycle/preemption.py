"""Preemption among everything else: victims go, extenders agree, and a pod preempts once at a time, for itself."""

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from model.machine import Action
from model.objects import Pod
from model.scheduler.cache.state import find_pod_state
from model.scheduler.waiting_pods import get
from model.systems.scheduling_cycle.records import Eviction, SchedulingCycle
from model.world.api_server import place
from properties.property import SetupInvariant, StepInvariant
from properties.scheduling import nominations, preemption
from properties.scheduling.view import assumed, listed, live, thread_of

State = SchedulingCycle

# The steps by which preemption decides, and those in whose actions victims may go.
_DECIDING = frozenset({"preempt", "post_filter"})
_DELETING = _DECIDING | {"delete_victims"}


def _chosen(before: State, action: Action, after: State) -> tuple[str, ...]:
    """The UIDs of those that preemption has chosen, if they go in this action."""
    decided = tuple(str(dict(action.args).get("victims", "")).split())
    if before.cycle is None:
        return ()
    left = () if after.cycle is None else after.cycle.steps
    return () if "delete_victims" in left else (decided or before.cycle.victims)


def _victims(before: State, action: Action, after: State) -> tuple[str, ...]:
    """Those of them that have to go. If a request is not answered, some stay."""
    return () if "answer" in dict(action.args) else _chosen(before, action, after)


def _there(state: State, uid: str) -> bool:
    """Whether the pod is there and does not terminate."""
    pod = live(state, uid.partition("#")[0])
    return pod is not None and pod.uid == uid and not pod.terminating


def _gone(before: State, after: State, victims: tuple[str, ...]) -> list[str]:
    """The victims that the action deletes."""
    return [uid for uid in victims if _there(before, uid) and not _there(after, uid)]


# --- each victim goes -------------------------------------------------------------------------------------------------


def _kept(before: State, action: Action, after: State) -> list[str]:
    """Victims that were at Permit, and whose goroutine does not hear that they were rejected."""
    return [
        uid
        for uid in _victims(before, action, after)
        for waiting in (get(after.waiting_pods, uid),)
        if _there(after, uid) and waiting is not None and waiting.signal == "allowed"
    ]


VICTIMS_ARE_TOLD = StepInvariant(
    name="waiting-victim-goes",
    sentence="A victim that waits at Permit is deleted, or its wait ends with a rejection.",
    broken_by=("only_rejected",),
    actions=_DELETING,
    holds=lambda before, action, after: not _kept(before, action, after),
    premise=lambda before, action, after: any(get(before.waiting_pods, uid) for uid in _victims(before, action, after)),
    explain=lambda before, action, after: (
        f"{_kept(before, action, after)[0]} is a victim and goes on to its Binding: it was allowed before the "
        "rejection came"
    ),
)


# --- only victims go --------------------------------------------------------------------------------------------------


def _others(before: State, action: Action, after: State) -> list[str]:
    """The pods that the action deletes, and that are no victims, or not of lower priority."""
    victims = _chosen(before, action, after)
    assert before.cycle is not None
    return [
        pod.uid
        for pod in before.pods
        if pod is not None
        and _there(before, pod.uid)
        and not _there(after, pod.uid)
        and (pod.uid not in victims or pod.priority >= before.cycle.pod.priority)
    ]


ONLY_VICTIMS_GO = StepInvariant(
    name="only-victims-go",
    sentence="Preemption deletes no pod but the victims that it has chosen, which are of lower priority.",
    broken_by=("delete_by_name",),
    actions=_DELETING,
    holds=lambda before, action, after: not _others(before, action, after),
    premise=lambda before, action, after: bool(_victims(before, action, after)) and before.pods != after.pods,
    explain=lambda before, action, after: (
        f"{_others(before, action, after)[0]} is deleted, and the victims are "
        f"{', '.join(_chosen(before, action, after))}"
    ),
)


# --- for whom they go -------------------------------------------------------------------------------------------------


def _wants_no_node(before: State) -> str:
    """Why the pod for which others would go needs no node, as far as the scheduler may know; "" if it needs one."""
    assert before.cycle is not None
    pod = before.cycle.pod
    current, known = live(before, pod.name), listed(before, pod.name)
    if current is not None and current.uid == pod.uid and current.node_name:
        return f"is bound to {current.node_name}"
    gone = current is None or current.uid != pod.uid or current.terminating
    if gone and (known is None or known.terminating):
        return "is gone, as the informer has said" if known is None else "is being deleted, as the informer has said"
    return ""


def _wanted(before: State, action: Action) -> list[str]:
    """The victims that preemption chooses in this action and that are there, and do not terminate yet."""
    return [uid for uid in str(dict(action.args).get("victims", "")).split() if _there(before, uid)]


# Go looks the preemptor up once, before it chooses: preempt in scheduler.go to 1.18, PostFilter and Preempt in
# default_preemption.go and preemption.go later. What is said while the requests about the victims go out, nobody can
# take back: with `fine` and `patch_errors` that is an action between the two.
PREEMPTS_FOR_PENDING = StepInvariant(
    name="preempts-for-pending-pod",
    sentence="Nobody is chosen to be deleted for a pod that is bound, or of which the informer has said that it goes.",
    broken_by=("skip_terminating_pod", "update_respecting_backoff", "update_from_backoff_to_active"),
    actions=_DECIDING,
    holds=lambda before, action, after: not _wanted(before, action) or not _wants_no_node(before),
    premise=lambda before, action, after: bool(_wanted(before, action)),
    explain=lambda before, action, after: (
        f"{_wanted(before, action)[0]} is to be deleted for {action['pod']}, which {_wants_no_node(before)}"
    ),
)


# --- where that makes room --------------------------------------------------------------------------------------------


def _room_that_may_be_made(machine: Any, before: State, action: Action) -> str:
    """A node where room can be made for the pod, and nobody objects; "" for none. An extender may object."""
    assert before.cycle is not None
    never = place(before.cycle.pod.name) < machine.scope.never
    return "" if never or "extender" in dict(action.args) else next(preemption.room_can_be_made(before), "")


PREEMPTS_FOR_ROOM = SetupInvariant(
    name=preemption.PREEMPTS_FOR_ROOM.name,
    sentence="If the deletion of less important pods makes room for a pod on a node, and nobody objects, the pod "
    "preempts on some node.",
    broken_by=preemption.PREEMPTS_FOR_ROOM.broken_by,
    actions=lambda machine: _DECIDING if machine.scope.preemption else frozenset(),
    holds=lambda machine, before, action, after: (
        "node" in dict(action.args) or not _room_that_may_be_made(machine, before, action)
    ),
    premise=lambda machine, before, action, after: bool(_room_that_may_be_made(machine, before, action)),
    explain=lambda machine, before, action, after: preemption.explain_no_node(before, action, after),
)


# --- one preemption at a time -----------------------------------------------------------------------------------------


def _outstanding(before: State, action: Action, after: State) -> Iterator[Eviction]:
    """Earlier victims of the pod that still terminate where the pod is nominated, as the scheduler knows itself."""
    if before.cycle is None:
        return
    nominated = {
        node
        for node, pods in before.queue.nominator.nominated_pods
        for pod in pods
        if pod.name == before.cycle.pod.name
    }
    for each in before.evictions:
        known = before.snapshot.get(each.node)
        helps = known is not None and known.node is not None and not known.node.unschedulable
        known_to_go = known is not None and any(pod.uid == each.victim and pod.terminating for pod in known.pods)
        if helps and known_to_go and each.preemptor == before.cycle.pod.uid and each.node in nominated:
            yield each


def _again(before: State, action: Action, after: State) -> list[str]:
    outstanding = list(_outstanding(before, action, after))
    return _gone(before, after, _victims(before, action, after)) if outstanding else []


ONE_PREEMPTION = StepInvariant(
    name="waits-for-its-victims",
    sentence="A pod does not preempt again while a victim of its preemption terminates, if the scheduler knows "
    "that the victim does and keeps the nomination.",
    broken_by=("no_pod_counts",),
    actions=_DELETING,
    holds=lambda before, action, after: not _again(before, action, after),
    premise=lambda before, action, after: any(_outstanding(before, action, after)),
    explain=lambda before, action, after: (
        f"{_again(before, action, after)[0]} is deleted, and "
        f"{next(_outstanding(before, action, after)).victim} still terminates for the same pod"
    ),
)


def _twice(before: State, action: Action, after: State) -> list[str]:
    """Earlier victims of the pod that still terminate, and that the action deletes again."""
    victims = _victims(before, action, after)
    return [each.victim for each in _outstanding(before, action, after) if each.victim in victims]


ONE_DELETE = StepInvariant(
    name="one-delete-per-victim",
    sentence="A pod does not delete its victim again while the victim terminates, if the scheduler knows that the "
    "victim does and keeps the nomination.",
    broken_by=("no_pod_counts",),
    actions=_DELETING,
    holds=lambda before, action, after: not _twice(before, action, after),
    premise=lambda before, action, after: any(_outstanding(before, action, after)),
    explain=lambda before, action, after: f"{_twice(before, action, after)[0]} terminates, and is deleted once more",
)


# --- extenders --------------------------------------------------------------------------------------------------------


def _against_extender(machine: Any, action: Action) -> str:
    """The node that is taken though the extender does not agree; "" for none."""
    arguments = {key: str(value) for key, value in action.args}
    said, node = arguments.get("extender", ""), arguments.get("node", "")
    silent = said == "no answer" and not machine.scope.ignorable
    return node if node and (silent or said == f"refuses {node}") else ""


EXTENDER_AGREES = SetupInvariant(
    name="extenders-agree",
    sentence="No pod preempts on a node that an extender with the verb Preempt refuses.",
    broken_by=("extenders_are_not_known",),
    actions=lambda machine: _DECIDING if machine.scope.preempt_extender else frozenset(),
    holds=lambda machine, before, action, after: not _against_extender(machine, action),
    premise=lambda machine, before, action, after: "extender" in dict(action.args),
    explain=lambda machine, before, action, after: (
        f"{_against_extender(machine, action)} is taken, and the extender {action['extender']}".replace(
            "extender no answer", "extender does not answer"
        )
    ),
)


# --- the room that victims left ---------------------------------------------------------------------------------------

# The steps in whose actions the pod is assumed: up to 1.18 volumes and Reserve come before.
_ASSUMING = frozenset({"assume", "assume_volumes", "reserve"})


def _robbed(before: State, action: Action, after: State) -> Pod | None:
    """A pod of higher priority whose room the action gives to the pod that it assumes; or None."""
    taker = thread_of(before, action)
    if taker is None or assumed(before, taker.pod.uid) or not assumed(after, taker.pod.uid):
        return None
    placed = find_pod_state(after.cache, taker.pod.uid)
    return None if placed is None else nominations.robbed(before, taker, placed.pod.node_name)


def _explain_robbed(before: State, action: Action, after: State) -> str:
    pod = _robbed(before, action, after)
    assert pod is not None
    return (
        f"{action['pod']} takes the room on {pod.nominated_node_name} that was made for {pod.name}, of higher priority"
    )


ROOM_IS_KEPT = evolve(
    nominations.ROOM_IS_KEPT,
    actions=_ASSUMING,
    holds=lambda before, action, after: _robbed(before, action, after) is None,
    premise=nominations.some_wait,
    explain=_explain_robbed,
)
