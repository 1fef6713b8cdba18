"""Does a given run violate a property? Of any kind: a state, a step, or a lasso that goes round for ever.

Pure: for kept counterexamples, which are replayed under the rules of other releases and of fixes.
"""

from typing import Any

from kubeproof.verdict.trace import Step, Trace
from model.machine import Machine
from properties.property import Invariant, Liveness, Property, StepInvariant


def violation(machine: Machine[Any], property: Property, trace: Trace) -> str | None:
    """What is wrong at the end of `trace`, a run of `machine`, in the words of `property`; None when nothing is.

    An invariant is asked of the last state, a step invariant of the last step, liveness of the cycle of a lasso: it
    must be fair, and the goal must fail all the way round.
    """
    if isinstance(property, Invariant):
        return None if property.holds(trace.last) else property.explain(trace.last)
    if isinstance(property, StepInvariant):
        if trace.length == 0:
            return None
        before, last = trace.steps[-2:]
        if last.action is None or last.action.name not in property.actions:
            return None
        step = (before.state, last.action, last.state)
        return None if property.holds(*step) else property.explain(*step)
    assert isinstance(property, Liveness)
    for entity in property.entities(machine.sorts):
        if _fair_and_bad(machine, property, trace, entity):
            return property.explain(trace.last, entity)
    return None


def _fair_and_bad(machine: Machine[Any], property: Liveness, trace: Trace, entity: str) -> bool:
    if trace.loop is None:
        return False
    # A run that stays where it ends goes round that one state, taking no action.
    cycle = trace.steps[trace.loop + 1 :] or (Step(None, trace.last),)
    taken = {step.action.name for step in cycle if step.action is not None}
    if any(property.goal(step.state, entity) for step in cycle):
        return False
    if property.recurring is not None and not taken <= property.recurring:
        return False
    for name in property.fair - taken:
        if all(any(action.name == name for action in machine.actions(step.state)) for step in cycle):
            return False
    return True
