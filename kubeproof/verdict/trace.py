"""A run of a machine, as every engine reports it: actions and the states between them."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from model.machine import Action, Machine


@frozen
class Step:
    """A state and the action that led to it; the first step of a trace has none."""

    action: Action | None
    state: Any


@frozen
class Trace:
    """`steps[0]` holds the initial state. `loop`: the index of the state to which a lasso returns, or None.

    In a lasso the last step's state equals that of `steps[loop]`: the closing action is shown, its state repeated.
    """

    steps: tuple[Step, ...]
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
            raise ReplayError(f"step {number}: {action} is not enabled")
        state = machine.step(state, action)
        steps.append(Step(action, state))
    if loop is not None and steps[loop].state != state:
        raise ReplayError(f"the run does not return to state {loop}")
    return Trace(tuple(steps), loop)


def action_between(machine: Machine[Any], before: Any, after: Any) -> Action | None:
    """The first action of `machine` that leads from `before` to `after`, or None: for traces without actions."""
    return next((action for action in machine.actions(before) if machine.step(before, action) == after), None)
