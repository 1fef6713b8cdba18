"""A pod that fits gets a node, and hears of room that an attempt has given back, unless a plugin has refused the pod.

A plugin refuses a pod at will, and the state does not say which pod it was. So as many pods may wait, though they fit,
as there were refusals.
"""

from attrs import evolve

from model.systems.scheduling_cycle.actors import STEPS
from model.systems.scheduling_cycle.records import SchedulingCycle
from properties.property import SetupInvariant
from properties.scheduling.progress import FITTING_IS_BOUND, NO_EVENT_LOST, explain_stuck, placed, stuck
from properties.scheduling.view import has_room, live, node_names
from properties.scheduling_cycle.permit import FAIR, PODS, waits_with_reason

State = SchedulingCycle


def _refusals(state: State) -> int:
    """How many attempts a plugin has ended so far, or the time of a plugin."""
    return state.used.of("failures") + state.used.of("timeouts")


def room_is_offered(state: State) -> bool:
    return len(stuck(state)) <= _refusals(state)


def placed_or_refused(state: State, name: str) -> bool:
    """Whether the pod is placed as in scheduling, waits at Permit with reason, or may have been refused by a plugin."""
    if placed(state, name) or waits_with_reason(state, name):
        return True
    waiting = [info.pod.name for info in state.queue.unschedulable]
    if name not in waiting:
        return False
    found = (live(state, each) for each in waiting)
    fitting = [pod for pod in found if pod and any(has_room(state, node, pod) for node in node_names(state))]
    return len(fitting) <= _refusals(state)


ROOM_IS_OFFERED = SetupInvariant(
    name=NO_EVENT_LOST.name,
    sentence="When nothing is under way, no pod in unschedulableQ fits on a node, except those that a plugin refused.",
    broken_by=NO_EVENT_LOST.broken_by,
    # A pod of a group may wait for the others of the group, whatever room there is.
    actions=lambda machine: frozenset() if machine.scope.groups else frozenset(STEPS),
    holds=lambda machine, before, action, after: room_is_offered(after),
    premise=lambda machine, before, action, after: NO_EVENT_LOST.premise(after),
    explain=lambda machine, before, action, after: explain_stuck(after),
)
FITTING_POD_IS_BOUND = evolve(
    FITTING_IS_BOUND,
    sentence="A pod that fits and that no plugin refused is eventually bound, once users and nodes leave it alone.",
    broken_by=("forget_only", "arrives_at_listener"),
    sorts=PODS,
    goal=placed_or_refused,
    fair=FAIR,
    recurring=FAIR,
)
