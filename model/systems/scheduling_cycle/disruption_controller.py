"""The disruption controller, which counts how many pods of the budget may be disrupted, some time after pods change.

Go: pkg/controller/disruption/disruption.go `trySync`. A pod is healthy while it is bound and does not terminate. Its
write and the event by which the scheduler hears of it are one action. Nobody evicts by the API, so no pod is counted as
disrupted.
"""

from collections.abc import Iterator
from functools import partial

from model.evolve import evolve
from model.machine import Action, Offer
from model.places import always
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import SchedulingCycleScope, is_protected
from model.world.step import Step

STEPS: tuple[Step, ...] = (
    Step(name="sync_budget", place=always("the disruption controller"), needs=lambda scope: scope.protected),
)


def allowed_now(scope: SchedulingCycleScope, state: SchedulingCycle) -> int:
    """How many pods of the budget may be disrupted, by the API server's pods."""
    healthy = sum(
        pod is not None and bool(pod.node_name) and not pod.terminating and is_protected(scope, pod.name)
        for pod in state.pods
    )
    return max(0, healthy - (scope.protected - scope.disruptions))


def offers(setup: CycleSetup, /) -> tuple[Offer[SchedulingCycle], ...]:
    return (partial(_sync, setup.scope),) if setup.scope.protected else ()


def _sync(scope: SchedulingCycleScope, state: SchedulingCycle) -> Iterator[Action]:
    if state.disruptions_allowed != allowed_now(scope, state):
        yield Action.of("sync_budget")


def act(setup: CycleSetup, state: SchedulingCycle, action: Action, /) -> SchedulingCycle:
    return evolve(state, disruptions_allowed=allowed_now(setup.scope, state))
