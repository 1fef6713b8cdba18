"""The scheduler: its cycle and its binding goroutines, as one actor."""

from collections.abc import Iterator, Mapping
from functools import partial

from model.evolve import evolve
from model.machine import Action, Offer, Value
from model.scheduler.queue.scheduling_queue import head
from model.systems.queueing_hints import binding_steps, cycle_steps, failure_steps
from model.systems.queueing_hints.cycle_steps import POP, pop
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.queueing_hints.step import OwnStep
from model.variables import asked_in
from model.world.goroutines import acting, chosen, named, run, under_way
from model.world.step import Step

_OWN: dict[str, OwnStep] = {
    step.name: step for step in (*cycle_steps.STEPS, *failure_steps.STEPS, *binding_steps.STEPS)
}
STEPS: tuple[Step, ...] = (POP, *_OWN.values())


def offers(setup: HintsSetup) -> tuple[Offer[QueueingHints], ...]:
    """A pod may be popped, or the cycle goes on; then what binding goroutines may do."""
    return (partial(_pop_may, setup), partial(_cycle_may, setup), partial(_bindings_may, setup))


def _pop_may(setup: HintsSetup, state: QueueingHints) -> Iterator[Action]:
    """One cycle at a time, and not too many bindings of one pod: the scope bounds these where Go does not."""
    first = None if asked_in(state, "cycle", bool) or state.sleeps else head(setup.queue, state.queue)
    if first is not None and state.bindings.ask(under_way, first.pod.name) < setup.scope.goroutines:
        yield Action.of("pop", pod=first.pod.name)


def _cycle_may(setup: HintsSetup, state: QueueingHints) -> Iterator[Action]:
    if state.cycle is not None:
        action = Action.of(state.cycle.steps[0], pod=state.cycle.pod.name)
        yield from chosen(_OWN[action.name], setup, state, state.cycle, action)


def _bindings_may(setup: HintsSetup, state: QueueingHints) -> Iterator[Action]:
    for goroutine, action in named(state.bindings, _of_binding):
        yield from chosen(_OWN[action.name], setup, state, goroutine, action)


def _of_binding(goroutine: Goroutine) -> Mapping[str, Value]:
    """The arguments that name a binding goroutine."""
    return {"pod": goroutine.pod.name, "by": "binding"}


def act(setup: HintsSetup, state: QueueingHints, action: Action) -> QueueingHints:
    """The state after an action of the scheduler."""
    if action.name == POP.name:
        return pop(setup, state)
    if "by" in dict(action.args):
        one = acting(_OWN, state.bindings, _of_binding, action)
        state, left = run(_OWN, setup.scope, setup, evolve(state, bindings=state.bindings.less(one)), one, action)
        return evolve(state, bindings=state.bindings.start(left)) if left.steps else state
    assert state.cycle is not None
    state, left = run(_OWN, setup.scope, setup, state, state.cycle, action)
    return evolve(state, cycle=left if left.steps else None)
