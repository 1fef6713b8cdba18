"""A trace: a run of a machine, written down as actions and the states between the actions."""

from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen

from model.machine import Action, Machine


@frozen
class Step:
    """One line of a trace: a state and the action that led to this state."""

    # None in the first line of a trace.
    action: Action | None
    state: Any


@frozen
class Trace:
    """A run, or a lasso: a run that returns to one of its states."""

    # `steps[0]` has the initial state.
    steps: tuple[Step, ...]
    # The index of the state to which a lasso returns, or None. The last state of a lasso equals that state: the trace
    # shows the closing action and repeats the state.
    loop: int | None = None

    @property
    def length(self) -> int:
        """How many actions the run takes."""
        return len(self.steps) - 1

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(step.action for step in self.steps if step.action is not None)

    @property
    def last(self) -> Any:
        return self.steps[-1].state


class ReplayError(ValueError):
    """A run that the machine does not have."""


def replay(machine: Machine[Any], actions: Sequence[Action], *, initial: int = 0, loop: int | None = None) -> Trace:
    """The run of `machine` that takes `actions` from its initial state number `initial`.

    Raises ReplayError for an action that is not enabled, and for a lasso that does not close.
    """
    state = machine.initial_states()[initial]
    steps = [Step(None, state)]
    for number, action in enumerate(actions, 1):
        if action not in set(machine.actions(state)):
            raise ReplayError(f"action {number}: {action} is not enabled")
        state = machine.step(state, action)
        steps.append(Step(action, state))
    if loop is not None and steps[loop].state != state:
        raise ReplayError(f"the run does not return to state {loop}")
    return Trace(tuple(steps), loop)


def run_again(machine: Machine[Any], trace: Trace) -> Trace | None:
    """The run that takes the actions of `trace` in `machine`, or None if the machine has no such run.

    A lasso that does not close any more is a run that ends. Raises RuleError.
    """
    first = trace.steps[0].state
    starts = machine.initial_states()
    if first not in starts:
        return None
    try:
        again = replay(machine, trace.actions, initial=list(starts).index(first))
    except ReplayError:
        return None
    closes = trace.loop is not None and again.steps[trace.loop].state == again.last
    return evolve(again, loop=trace.loop) if closes else again


def action_between(machine: Machine[Any], before: Any, after: Any) -> Action | None:
    """The first action of `machine` that leads from `before` to `after`, or None: for traces without actions."""
    return next((action for action in machine.actions(before) if machine.step(before, action) == after), None)
