"""Permit: a wait ends with what the plugins have decided, and ends when they have."""

from typing import Any

from model.machine import Action
from model.objects import Pod
from model.scheduler.waiting_pods import WaitingPod, get
from model.systems.scheduling_cycle.actors import SCHEDULING_CYCLE
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.symmetry import ENDINGS
from model.world.pod_handlers import listener_of
from properties.property import Invariant, Liveness, SetupInvariant, StepInvariant
from properties.scheduling.view import assumed, events_of, live, thread_of

State = SchedulingCycle


def _not_told(state: State) -> list[WaitingPod]:
    """Pods whose goroutine listens, of which the plugins have decided, and to which nothing was sent that arrived."""
    return [each for each in state.waiting_pods if each.listening and each.decided and not each.signal]


def decisions_arrive(state: State) -> bool:
    return bool(state.crashed) or not _not_told(state)


def _explain_not_told(state: State) -> str:
    each = _not_told(state)[0]
    return f"{each.uid} is {each.decided}, and its goroutine waits: what was sent came before the goroutine listened"


def _of_wait(before: State, action: Action) -> WaitingPod | None:
    """The waiting pod whose wait the action ends."""
    goroutine = thread_of(before, action)
    found = None if goroutine is None else get(before.waiting_pods, goroutine.pod.uid)
    return found if found is not None and found.signal else None


def goes_on_as_decided(before: State, action: Action, after: State) -> bool:
    waiting = _of_wait(before, action)
    return waiting is None or waiting.signal != "allowed" or waiting.decided == "allowed"


def _explain_other(before: State, action: Action, after: State) -> str:
    waiting = _of_wait(before, action)
    assert waiting is not None
    why = "a plugin has rejected it" if waiting.decided else f"{waiting.pending} of its plugins have not said Allow"
    return f"{waiting.uid} goes on to its Binding, though {why}"


def _waits(state: State, name: str) -> list[WaitingPod]:
    return [each for each in state.waiting_pods if each.uid.partition("#")[0] == name]


def waits_with_reason(state: State, name: str) -> bool:
    """Whether the pod waits, nothing is decided, and some pod is not there, for which a group may wait."""
    waiting = _waits(state, name)
    return bool(waiting) and None in state.pods and not any(each.decided for each in waiting)


def does_not_wait(state: State, name: str) -> bool:
    return not _waits(state, name) or waits_with_reason(state, name)


def _explain_wait(state: State, name: str) -> str:
    return f"{name} waits at Permit as long as no time is over, and its node keeps room for it"


def _is_gone(state: State, waiting: WaitingPod) -> bool:
    """Whether the pod was deleted, and every handler has heard of that."""
    name = waiting.uid.partition("#")[0]
    current = live(state, name)
    return (current is None or current.uid != waiting.uid) and not events_of(state, name)


def _waiting_and_gone(state: State) -> list[WaitingPod]:
    return [each for each in state.waiting_pods if not each.decided and _is_gone(state, each)]


def gone_pods_do_not_wait(state: State) -> bool:
    return bool(state.crashed) or not _waiting_and_gone(state)


def _explain_gone(state: State) -> str:
    uid = _waiting_and_gone(state)[0].uid
    room = "; its node keeps room for it" if assumed(state, uid) else ""
    return f"{uid} was deleted, and waits at Permit until a plugin speaks or its time is over{room}"


def _heard_gone(before: State, action: Action) -> WaitingPod | None:
    """The waiting pod of whose end the action tells the handler that hears of pods without a node."""
    pod: Pod | None = None
    if action.name == "deliver_pod":
        event = before.pod_watch[0]
        pod = event.pod if event.kind == "delete" else None
    else:
        heard = listener_of(before, "pod" if action.name == "handle_pod" else "unassigned").pending[0]
        pod = heard.old if heard.new is None else None
    found = None if pod is None or pod.node_name else get(before.waiting_pods, pod.uid)
    return found if found is not None and not found.decided else None


def ends_wait_of_gone(machine: Any, before: State, action: Action, after: State) -> bool:
    waiting = _heard_gone(before, action)
    left = None if waiting is None else get(after.waiting_pods, waiting.uid)
    return bool(after.crashed) or left is None or bool(left.decided)


def _explain_waits_on(machine: Any, before: State, action: Action, after: State) -> str:
    waiting = _heard_gone(before, action)
    assert waiting is not None
    return f"{waiting.uid} waits at Permit, the handler hears that it was deleted, and nobody rejects it"


def _hearing(machine: Any) -> frozenset[str]:
    """The actions in which a handler hears; with `fine` it does in several."""
    if machine.scope.fine:
        return frozenset()
    return frozenset({"handle_unassigned", "handle_pod"} if machine.scope.listeners else {"deliver_pod"})


# Plugins reject pods, and informers repeat themselves, only so often. All other actions of the scheduler, and Allow,
# may go on for ever.
_RARE = frozenset({"resync_pod", "relist_pods", "reject_waiting_pod", "time_out"})
FAIR = frozenset(step.name for actor in SCHEDULING_CYCLE.actors[1:] for step in actor.STEPS if step.name not in _RARE)
# The sorts of pods: those of scheduling, with what tells pods apart here.
_KINDS = ("top_pod", "high_pod", "pod", "big_top_pod", "big_high_pod", "big_pod")
PODS = tuple(f"{kind}{ending}" for kind in _KINDS for ending in ENDINGS)

DECISION_ARRIVES = Invariant(
    name="decision-of-permit-arrives",
    sentence="When the plugins have allowed a waiting pod, or one has rejected it, the goroutine that waits is told.",
    broken_by=("arrives_at_listener",),
    holds=decisions_arrive,
    premise=lambda state: any(each.decided for each in state.waiting_pods),
    explain=_explain_not_told,
)
GONE_DOES_NOT_WAIT = Invariant(
    name="gone-pod-does-not-wait",
    sentence="Once the handlers have heard that a pod is gone, the plugins at Permit do not have it wait.",
    broken_by=("gone_pod_waits",),
    holds=gone_pods_do_not_wait,
    premise=lambda state: any(_is_gone(state, each) for each in state.waiting_pods),
    explain=_explain_gone,
)
GONE_IS_REJECTED = SetupInvariant(
    name="gone-pod-is-rejected",
    sentence="A handler that hears of the end of a pod that waits at Permit has the wait end.",
    broken_by=("delete_pod_from_scheduling_queue", "delete_pod_and_move_if_it_was_nominated"),
    actions=_hearing,
    holds=ends_wait_of_gone,
    premise=lambda machine, before, action, after: _heard_gone(before, action) is not None,
    explain=_explain_waits_on,
)
ALL_ALLOW = StepInvariant(
    name="all-plugins-allow",
    sentence="A pod that waits at Permit goes on only when every plugin for which it waits has allowed it.",
    broken_by=("one_allow",),
    actions=frozenset({"wait_on_permit"}),
    holds=goes_on_as_decided,
    premise=lambda before, action, after: _of_wait(before, action) is not None,
    explain=_explain_other,
)
WAIT_ENDS = Liveness(
    name="wait-at-permit-ends",
    sentence="Once the plugins have decided or every pod is there, a wait at Permit ends, also if no time is over.",
    broken_by=("arrives_at_listener", "a_map_of_each_profile"),
    sorts=PODS,
    goal=does_not_wait,
    premise=lambda state, name: live(state, name) is not None,
    explain=_explain_wait,
    fair=FAIR,
    recurring=FAIR,
)
