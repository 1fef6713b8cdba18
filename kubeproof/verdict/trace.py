"""A trace: a run of a machine, written down as actions and the states between the actions."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen

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


def as_far_as_possible(machine: Machine[Any], trace: Trace) -> Trace | None:
    """The run that takes the actions of `trace` in `machine` up to the first that is not enabled there.

    None if the machine does not begin where `trace` does. The only state where a machine begins may keep more or less
    than the trace's, as it does under a rule from outside. A lasso that does not close any more is a run that ends.
    Raises RuleError.
    """
    initial = machine.initial_states()
    state = initial[0] if len(initial) == 1 else trace.steps[0].state
    if state not in initial:
        return None
    steps = [Step(None, state)]
    for action in trace.actions:
        if action not in set(machine.actions(state)):
            break
        state = machine.step(state, action)
        steps.append(Step(action, state))
    closes = len(steps) == len(trace.steps) and trace.loop is not None and steps[trace.loop].state == state
    return Trace(tuple(steps), trace.loop if closes else None)


def run_again(machine: Machine[Any], trace: Trace) -> Trace | None:
    """The run that takes the actions of `trace` in `machine`, or None if the machine has no such run.

    A lasso that does not close any more is a run that ends. Raises RuleError.
    """
    again = as_far_as_possible(machine, trace)
    return again if again is not None and again.length == trace.length else None


def action_between(machine: Machine[Any], before: Any, after: Any) -> Action | None:
    """The first action of `machine` that leads from `before` to `after`, or None: for traces without actions."""
    return next((action for action in machine.actions(before) if machine.step(before, action) == after), None)
