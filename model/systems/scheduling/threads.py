"""The scheduler: its cycle, its binding goroutines and the error function's retries, as one actor."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import frozen

from model.evolve import evolve
from model.machine import Action, Offer, Value
from model.scheduler.cache.state import CacheSnapshot
from model.systems.scheduling import binding_steps, cycle_steps, failure_steps, preemption_steps
from model.systems.scheduling.cycle_steps import POP, looked_at_first, pop
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.systems.scheduling.step import RETRY, OwnStep
from model.variables import Bag
from model.world.goroutines import acting, chosen, named, run, under_way
from model.world.start import handlers_have_synced
from model.world.step import Step

# What names a goroutine in an action.
Arguments = Callable[[Goroutine], Mapping[str, Value]]


@frozen(slots=False, eq=False)
class Threads:
    """The scheduler of a system, as an actor: how a cycle begins, and the steps of its goroutines."""

    # (setup, state, action) -> the state in which the cycle of the popped pod begins.
    pop: Callable[[Any, Any, Action], Any]
    # All steps of the goroutines, in the order in which pages name them.
    own: tuple[OwnStep, ...]
    # The steps that look at the cycle's snapshot, or may lead on to one that does.
    need_snapshot: frozenset[str]

    @cached_property
    def STEPS(self) -> tuple[Step, ...]:
        return (POP, *self.own)

    @cached_property
    def _by_name(self) -> dict[str, OwnStep]:
        return {step.name: step for step in self.own}

    def offers(self, setup: SchedulingSetup, /) -> tuple[Offer[Scheduling], ...]:
        """A pod may be popped, or the cycle goes on; then what binding goroutines and retries may do."""
        return (
            partial(_pops, setup),
            partial(self._cycle_may, setup),
            partial(self._bindings_may, setup),
            partial(self._retries_may, setup),
        )

    def _cycle_may(self, setup: SchedulingSetup, state: Scheduling) -> Iterator[Action]:
        if state.cycle is not None:
            action = Action.of(state.cycle.steps[0], pod=state.cycle.pod.name)
            yield from chosen(self._by_name[action.name], setup, state, state.cycle, action)

    def _bindings_may(self, setup: SchedulingSetup, state: Scheduling) -> Iterator[Action]:
        return self._each_may(setup, state, state.bindings, _of_binding)

    def _retries_may(self, setup: SchedulingSetup, state: Scheduling) -> Iterator[Action]:
        return self._each_may(setup, state, state.retries, _of_retry)

    def _each_may(
        self, setup: SchedulingSetup, state: Scheduling, goroutines: Bag[Goroutine], arguments: Arguments
    ) -> Iterator[Action]:
        for goroutine, action in named(goroutines, arguments):
            yield from chosen(self._by_name[action.name], setup, state, goroutine, action)

    def act(self, setup: SchedulingSetup, state: Scheduling, action: Action, /) -> Scheduling:
        """The state after an action of the scheduler."""
        own = self._by_name
        if action.name == POP.name:
            begun: Scheduling = self.pop(setup, state, action)
            return begun
        if own[action.name].goroutines == (RETRY,):
            one = acting(own, state.retries, _of_retry, action)
            state, left = run(own, setup.scope, setup, evolve(state, retries=state.retries.less(one)), one, action)
            return evolve(state, retries=state.retries.start(left)) if left.steps else state
        if "by" in dict(action.args):
            one = acting(own, state.bindings, _of_binding, action)
            state, left = run(own, setup.scope, setup, evolve(state, bindings=state.bindings.less(one)), one, action)
            return evolve(state, bindings=state.bindings.start(left)) if left.steps else state
        return self._cycle_goes_on(setup, state, action)

    def _cycle_goes_on(self, setup: SchedulingSetup, state: Scheduling, action: Action) -> Scheduling:
        assert state.cycle is not None
        state, goroutine = run(self._by_name, setup.scope, setup, state, state.cycle, action)
        state = evolve(state, cycle=goroutine if goroutine.steps else None)
        if not setup.scope.keep_snapshot and self.need_snapshot.isdisjoint(goroutine.steps):
            state = evolve(state, snapshot=CacheSnapshot())
        return state


def _pops(setup: SchedulingSetup, state: Scheduling) -> Iterator[Action]:
    """One cycle at a time, and not too many goroutines of one pod: the scope bounds these where Go does not."""
    if state.cycle is not None or _waits_for_handlers(setup, state):
        return
    for name in looked_at_first(setup, state.queue):
        if state.bindings.ask(under_way, name) + state.retries.ask(under_way, name) < setup.scope.goroutines:
            yield Action.of("pop", pod=name)


def _waits_for_handlers(setup: SchedulingSetup, state: Scheduling) -> bool:
    """Whether the first cycle has still to wait for the handlers of pods."""
    if not setup.scope.bound_at_start or not setup.rules.handlers_sync_first():
        return False
    return not handlers_have_synced(setup.scope, state.assigned, state.unassigned, state.handler)


def _of_binding(goroutine: Goroutine) -> Mapping[str, Value]:
    """The arguments that name a binding goroutine."""
    named_by: dict[str, Value] = {"pod": goroutine.pod.name, "by": "binding"}
    return named_by | {"node": goroutine.pod.node_name} if goroutine.pod.node_name else named_by


def _of_retry(goroutine: Goroutine) -> Mapping[str, Value]:
    return {"pod": goroutine.pod.name}


SCHEDULER = Threads(
    pop,
    (
        *cycle_steps.STEPS,
        *failure_steps.EARLY_STEPS,
        *preemption_steps.STEPS,
        *failure_steps.LATE_STEPS,
        *binding_steps.STEPS,
        *failure_steps.RETRY_STEPS,
    ),
    # A failure of `call_extenders` may lead on to preemption.
    frozenset({"find_nodes", "call_extenders", "preempt", "post_filter"}),
)
