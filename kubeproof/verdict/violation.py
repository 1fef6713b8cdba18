"""Whether a given run violates a property of any kind.

Kept counterexamples are asked this question: they are replayed under the rules of other releases and of fixes. Pure.
"""

from typing import Any

from kubeproof.verdict.trace import Step, Trace
from model.machine import Machine
from properties.property import Invariant, Liveness, Property, StepInvariant


def violation(machine: Machine[Any], property: Property, trace: Trace) -> str | None:
    """What is wrong at the end of `trace`, a run of `machine`, in the words of `property`; None if nothing is wrong.

    An invariant is asked of the last state, and a step invariant of the last transition. A lasso violates a liveness
    property if its cycle is fair and the goal fails in each state of the cycle.
    """
    property = property.of(machine)
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
    # A run that stays in its last state goes round this one state and takes no action.
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
