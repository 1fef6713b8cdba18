"""Nothing that an attempt took stays behind: what was reserved and assumed, and who waits, belongs to an attempt."""

from collections.abc import Iterator
from typing import Any

from model.machine import Action
from model.scheduler.framework.plugin_calls import calls_made
from model.scheduler.waiting_pods import WaitingPod
from model.systems.scheduling_cycle.records import CycleGoroutine, Reservation, SchedulingCycle
from model.systems.scheduling_cycle.step import VOLUMES
from properties.property import Invariant, SetupInvariant
from properties.scheduling.view import assumed, live, pending

State = SchedulingCycle

# One of these steps is still to come where the attempt goes on, or gives back what was reserved.
_OF_RESERVATION = frozenset({"start_binding", "bind", "unreserve"})
# Where the attempt goes on, or forgets the pod. FinishBinding comes right after a Binding that is done.
_OF_ASSUMED = frozenset({"start_binding", "bind", "bind_failed", "finish_binding", "forget_pod"})


def attempts(state: State) -> Iterator[CycleGoroutine]:
    """The scheduling cycle and the binding cycles."""
    if state.cycle is not None:
        yield state.cycle
    yield from state.bindings


def _goes_on(state: State, uid: str, host: str, steps: frozenset[str]) -> bool:
    """Whether an attempt to place this pod on this node has one of the steps to come."""
    return any(g.pod.uid == uid and g.host == host and not steps.isdisjoint(g.steps) for g in attempts(state))


def _left_behind(state: State, of_volumes: bool = False) -> list[Reservation]:
    """What is held for an attempt that has ended: assumed volumes, or what Reserve plugins hold."""
    return [
        each
        for each in state.reservations
        if (each.plugin == VOLUMES) == of_volumes and not _goes_on(state, each.uid, each.node, _OF_RESERVATION)
    ]


def reservations_have_owners(state: State) -> bool:
    return bool(state.crashed) or not _left_behind(state)


def assumed_volumes_have_owners(state: State) -> bool:
    return bool(state.crashed) or not _left_behind(state, of_volumes=True)


def _explain_volumes(state: State) -> str:
    each = _left_behind(state, of_volumes=True)[0]
    return f"the volumes of {each.uid} stay assumed on {each.node}: the attempt has ended, and nobody reverts them"


def _explain_left(state: State) -> str:
    each = _left_behind(state)[0]
    return (
        f"Reserve plugin {each.plugin} holds something for {each.uid} on {each.node}: the attempt has ended without a "
        "Binding, and nobody calls Unreserve"
    )


def _assumed_for_nobody(state: State) -> list[str]:
    """Pods that are pending and assumed, and that no attempt binds or forgets."""
    found = []
    for each in state.cache.pod_states:
        pod = each.pod
        if each.assumed and pending(state, pod) and not _goes_on(state, pod.uid, pod.node_name, _OF_ASSUMED):
            found.append(f"{pod.uid} on {pod.node_name}")
    return found


def assumed_pods_have_owners(state: State) -> bool:
    return bool(state.crashed) or not _assumed_for_nobody(state)


def _explain_assumed(state: State) -> str:
    return f"the cache keeps {_assumed_for_nobody(state)[0]} as assumed: the attempt has failed, and nobody forgets it"


def _some_assumed(state: State) -> bool:
    return any(assumed(state, each.pod.uid) for each in state.cache.pod_states)


def _without_waiter(state: State) -> list[WaitingPod]:
    """Pods in the map whose goroutine does not wait, and is not about to."""
    return [
        each
        for each in state.waiting_pods
        if not any(
            g.pod.uid == each.uid and not {"wait_on_permit", "start_binding"}.isdisjoint(g.steps)
            for g in attempts(state)
        )
    ]


def waiting_pods_have_waiters(state: State) -> bool:
    return bool(state.crashed) or not _without_waiter(state)


def _explain_without(state: State) -> str:
    return f"{_without_waiter(state)[0].uid} is in the map of waiting pods, and no goroutine waits for what is decided"


# The actions in which plugins may be asked to give back.
_GIVING_BACK = frozenset(
    {
        "unreserve", "reserve", "assume", "assume_volumes", "bind_volumes", "permit", "wait_on_permit", "pre_bind",
        "bind_failed", "record_failure",
        "add_nominated_pod",
    }
)  # fmt: skip


def _given_back(machine: Any, before: State, action: Action, after: State) -> list[int]:
    """The plugins that are asked to give back in the action, in order, of those that hold something.

    The binder of volumes counts as the first plugin.
    """
    taken = {each.plugin for each in before.reservations} | {each.plugin for each in after.reservations}
    made = calls_made(lambda: machine.bare_step(before, action))
    reserved = {plugin for point, plugin in made if point == "Reserve"}
    return [plugin for point, plugin in made if point == "Unreserve" and plugin in taken | reserved]


def given_back_in_reverse(machine: Any, before: State, action: Action, after: State) -> bool:
    found = _given_back(machine, before, action, after)
    return found == sorted(set(found), reverse=True)


def _gives_back_several(machine: Any, before: State, action: Action, after: State) -> bool:
    """Whether more than one plugin gives something back."""
    return machine.scope.reserves > 1 and len(_given_back(machine, before, action, after)) > 1


def _explain_order(machine: Any, before: State, action: Action, after: State) -> str:
    order = ", ".join(str(plugin) for plugin in _given_back(machine, before, action, after))
    return f"Unreserve is called of the plugins {order}: what was taken last is not given back first, and only once"


GIVEN_BACK_IN_REVERSE = SetupInvariant(
    name="given-back-in-reverse",
    sentence="What was reserved is given back once, and what was reserved last is given back first.",
    broken_by=("in_the_order_of_reserve",),
    actions=lambda machine: _GIVING_BACK if machine.scope.reserves > 1 else frozenset(),
    holds=given_back_in_reverse,
    premise=_gives_back_several,
    explain=_explain_order,
)


def _bound(state: State, uid: str, node: str) -> bool:
    """Whether the pod is bound to the node: then what was reserved for the pod there is the pod's own."""
    pod = live(state, uid.partition("#")[0])
    return pod is not None and pod.uid == uid and pod.node_name == node


def _robbed(state: State) -> list[CycleGoroutine]:
    """Attempts that go on without something that they have reserved."""
    held = {(each.plugin, each.uid, each.node) for each in state.reservations}
    return [
        g
        for g in attempts(state)
        if not {"bind", "start_binding"}.isdisjoint(g.steps)
        and not _bound(state, g.pod.uid, g.host)
        and any((plugin, g.pod.uid, g.host) not in held for plugin in range(1, g.reserved + 1))
    ]


def attempts_keep_reservations(state: State) -> bool:
    return bool(state.crashed) or not _robbed(state)


def _explain_robbed(state: State) -> str:
    g = _robbed(state)[0]
    return f"{g.pod.uid} is being bound to {g.host}, and what was reserved for it there is given back"


RESERVED_IS_KEPT = Invariant(
    name="reservation-is-kept",
    sentence="What was reserved for an attempt is not given back while the attempt goes on.",
    broken_by=("record_then_unreserve", "forget_record_unreserve"),
    holds=attempts_keep_reservations,
    premise=lambda state: any(g.reserved for g in attempts(state)),
    explain=_explain_robbed,
)
RESERVED_HAS_OWNER = Invariant(
    name="reservation-has-an-owner",
    sentence="What a Reserve plugin holds is for an attempt that goes on, or that will give it back.",
    broken_by=("record_only",),
    holds=reservations_have_owners,
    premise=lambda state: any(each.plugin != VOLUMES for each in state.reservations),
    explain=_explain_left,
)
VOLUMES_HAVE_OWNER = Invariant(
    name="assumed-volumes-have-an-owner",
    sentence="The volumes that are assumed for a pod are those of an attempt that goes on, or that will revert them.",
    broken_by=("left_assumed",),
    holds=assumed_volumes_have_owners,
    premise=lambda state: any(each.plugin == VOLUMES for each in state.reservations),
    explain=_explain_volumes,
)
ASSUMED_HAS_OWNER = Invariant(
    name="assumed-pod-has-an-owner",
    sentence="A pod that is pending and assumed is being bound, or will be forgotten.",
    broken_by=("record_then_unreserve",),
    holds=assumed_pods_have_owners,
    premise=_some_assumed,
    explain=_explain_assumed,
)
WAITING_HAS_WAITER = Invariant(
    name="waiting-pod-has-a-waiter",
    sentence="For each pod in the map of waiting pods a goroutine waits, or will.",
    broken_by=("bind_without_waiting",),
    holds=waiting_pods_have_waiters,
    premise=lambda state: bool(state.waiting_pods),
    explain=_explain_without,
)
