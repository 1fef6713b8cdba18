"""TLC's error trace as a run of the Python machine: states decoded, actions found, lassos closed. Pure.

TLC 2.15 prints states without the arguments of actions. The Python machine must have an action from each state to the
next, and the Python property must fail on this run. This also tests that both models say the same.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from kubeproof.verdict.trace import ReplayError, Step, Trace, action_between, replay
from model.machine import Action, Machine
from properties.property import Invariant, Liveness, Property, StepInvariant


class DisagreementError(Exception):
    """The TLA+ module and the Python machine do not say the same: one has a state or transition that the other does not
    have."""


def to_trace(machine: Machine[Any], states: Sequence[Any], back_to: int | None, fair: frozenset[str]) -> Trace:
    """The run of `machine` through `states`. With `back_to`, the index to which the run returns, it is a lasso.

    `fair` names the actions under weak fairness. TLC leaves out actions that change nothing. Where a fair action is
    missing in the cycle and changes nothing in one of the cycle's states, it is added there. Raises DisagreementError.
    """
    if not states or states[0] not in machine.initial_states():
        raise DisagreementError("TLC's trace begins in a state that is not an initial state of the machine")
    steps = [Step(None, states[0])]
    for before, after in pairwise(states):
        steps.append(Step(_joining(machine, before, after, len(steps)), after))
    if back_to is None:
        return _replayed(machine, steps, None)
    if back_to < len(states) - 1:
        steps.append(Step(_joining(machine, states[-1], states[back_to], len(steps)), states[back_to]))
    for name in sorted(fair):
        steps = _with_fair_step(machine, steps, back_to, name)
    return _replayed(machine, steps, back_to)


def violates(trace: Trace, p: Property) -> bool:
    """Whether the run violates `p`, an invariant or step invariant, in its last state or transition."""
    if isinstance(p, Invariant):
        return not p.holds(trace.last)
    if isinstance(p, StepInvariant) and trace.length:
        before, step = trace.steps[-2].state, trace.steps[-1]
        return (
            step.action is not None and step.action.name in p.actions and not p.holds(before, step.action, step.state)
        )
    return False


def with_unseen_step(machine: Machine[Any], trace: Trace, p: Property) -> Trace:
    """`trace`; if `trace` does not violate the step invariant `p`, the same run with another last action that does.

    TLC does not look at actions that change nothing. A module can then state the property of the state before. TLC
    shows any action from this state, and the violating action is found here.
    """
    if not isinstance(p, StepInvariant) or not trace.length or violates(trace, p):
        return trace
    before = trace.steps[-2].state
    for action in machine.actions(before):
        if action.name in p.actions:
            ending = Trace((*trace.steps[:-1], Step(action, machine.step(before, action))))
            if violates(ending, p):
                return ending
    return trace


def explain(trace: Trace, violated: Property) -> str:
    """What is wrong, in domain words, in the run that violates `violated`. Raises DisagreementError if nothing is."""
    if violates(trace, violated):
        if isinstance(violated, Invariant):
            return violated.explain(trace.last)
        action = trace.steps[-1].action
        if isinstance(violated, StepInvariant) and action is not None:
            return violated.explain(trace.steps[-2].state, action, trace.last)
    raise DisagreementError(f"TLC's trace violates {violated.name} in TLA+, but not in Python")


def explain_lasso(machine: Machine[Any], trace: Trace, violated: Liveness) -> str:
    """As `explain`, for a lasso."""
    if trace.loop is not None:
        cycle = [step.state for step in trace.steps[trace.loop :]]
        taken = {step.action.name for step in trace.steps[trace.loop + 1 :] if step.action}
        if violated.recurring is None or taken <= violated.recurring:
            for entity in violated.entities(machine.sorts):
                if not any(violated.goal(state, entity) for state in cycle):
                    return violated.explain(trace.last, entity)
    raise DisagreementError(f"TLC's lasso violates {violated.name} in TLA+, but not in Python")


def _joining(machine: Machine[Any], before: Any, after: Any, number: int) -> Action:
    action = action_between(machine, before, after)
    if action is None:
        raise DisagreementError(f"the machine has no action for step {number} of TLC's trace: {before} to {after}")
    return action


def _with_fair_step(machine: Machine[Any], steps: list[Step], loop: int, name: str) -> list[Step]:
    if any(step.action and step.action.name == name for step in steps[loop + 1 :]):
        return steps
    disabled = False
    for number in range(len(steps) - 1, loop - 1, -1):
        state = steps[number].state
        enabled = [action for action in machine.actions(state) if action.name == name]
        disabled = disabled or not enabled
        for action in enabled:
            if machine.step(state, action) == state:
                return [*steps[: number + 1], Step(action, state), *steps[number + 1 :]]
    if disabled:
        return steps
    raise DisagreementError(f"TLC's lasso is not fair to {name}, which the machine could always take")


def _replayed(machine: Machine[Any], steps: list[Step], loop: int | None) -> Trace:
    trace = Trace(tuple(steps), loop)
    initial = machine.initial_states().index(steps[0].state)
    try:
        again = replay(machine, trace.actions, initial=initial, loop=loop)
    except ReplayError as error:
        raise DisagreementError(f"TLC's trace does not replay: {error}") from error
    if again != trace:
        raise DisagreementError("TLC's trace replays to other states")
    # The machine's own states: they also have the fields that are not compared and that TLA+ does not have.
    return again
