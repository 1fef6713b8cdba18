"""The plugins at Permit, as far as they act by themselves: they allow and reject pods that wait; and their timers.

Go: waitingPod.Allow, waitingPod.Reject in waiting_pods_map.go, called by whatever goroutine a plugin has.
"""

from collections.abc import Iterator
from functools import partial

from model.evolve import evolve
from model.machine import Action, Offer
from model.places import always
from model.scheduler import waiting_pods
from model.scheduler.waiting_pods import WaitingPod
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import may_fail
from model.world.state import left, used
from model.world.step import Step

_LOCK = "waitingPod.mu"
STEPS: tuple[Step, ...] = (
    Step(
        name="allow_waiting_pod",
        place=always("waiting_pods_map.go Allow"),
        lock=_LOCK,
        # The plugin that knows of groups allows pods while it is asked for another one.
        needs=lambda scope: scope.permit and not scope.groups,
    ),
    Step(
        name="reject_waiting_pod",
        place=always("waiting_pods_map.go Reject"),
        lock=_LOCK,
        power=("failures",),
        needs=lambda scope: scope.permit,
    ),
    Step(
        name="time_out",
        place=(
            ("1.13.0", "framework.go RunPermitPlugins"),
            ("1.17.0-alpha.1", "waiting_pods_map.go newWaitingPod -> waiting_pods_map.go Reject"),
        ),
        lock=_LOCK,
        power=("timeouts",),
        needs=lambda scope: scope.permit,
    ),
)


def offers(setup: CycleSetup, /) -> tuple[Offer[SchedulingCycle], ...]:
    """Without plugins at Permit no pod waits."""
    return (partial(_decide, setup),) if setup.scope.permit else ()


def _decide(setup: CycleSetup, state: SchedulingCycle) -> Iterator[Action]:
    """A plugin that has not said Allow of a waiting pod may say so, or reject the pod; its time may be over."""
    scope = setup.scope
    for waiting in state.waiting_pods:
        if waiting.pending and not waiting.decided and not scope.groups:
            yield Action.of("allow_waiting_pod", uid=waiting.uid)
        if not waiting.decided and may_fail(setup, state):
            yield Action.of("reject_waiting_pod", uid=waiting.uid)
        if left(state, "timeouts", scope.timeouts) and setup.rules.timer_runs(waiting):
            yield Action.of("time_out", uid=waiting.uid)


def act(setup: CycleSetup, state: SchedulingCycle, action: Action, /) -> SchedulingCycle:
    waiting = waiting_pods.get(state.waiting_pods, str(action["uid"]))
    assert waiting is not None
    match action.name:
        case "allow_waiting_pod":
            return _told(state, waiting_pods.allow(setup.rules, waiting))
        case "reject_waiting_pod":
            return _told(used(state, "failures"), waiting_pods.reject(setup.rules, waiting))
    return _told(used(state, "timeouts"), waiting_pods.reject(setup.rules, waiting))


def _told(state: SchedulingCycle, waiting: WaitingPod) -> SchedulingCycle:
    return evolve(state, waiting_pods=waiting_pods.add(state.waiting_pods, waiting))
