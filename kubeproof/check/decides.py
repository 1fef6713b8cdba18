"""What would decide a property that a check left inconclusive: a scope in which its premise is met, or more time."""

import itertools
from collections.abc import Iterator
from typing import Any

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_runs
from kubeproof.check.check import scope_size
from kubeproof.engines.explicit import Limits, check
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Cause, Result
from kubeproof.verdict.trace import Trace
from model.machine import Machine
from properties.property import Invariant, Liveness, Property, StepInvariant

# Of a search for a state that meets the premise, in each scope.
LIMITS = Limits(states=20_000, seconds=3)


def decides(system: System, rules: Any, result: Result) -> str:
    """What to ask next where `result` is inconclusive: in words, with a scope as text; "" if nothing is known."""
    if result.cause is Cause.LIMIT:
        return "more time (--time) in the same scope"
    if result.cause is not Cause.PREMISE:
        return ""
    scope = scope_with_premise(system, rules, result)
    return "" if scope is None else scope_text(scope)


def scope_with_premise(system: System, rules: Any, result: Result) -> Any | None:
    """A scope in which some state meets the premise of the property of `result`: of a kept run, else of the system."""
    property = system.property_named(result.property)
    for scope, trace, machine in _runs(system, rules, property.name):
        if scope != result.scope and _meets(property.of(machine), machine, trace):
            return scope
    for scope in dict.fromkeys((system.scope, *system.scopes.besides)):
        if scope != result.scope:
            (found,) = check(system.machine(scope, rules), [property], limits=LIMITS)
            if found.cause not in (Cause.PREMISE, Cause.LIMIT):
                return scope
    return None


def _runs(system: System, rules: Any, name: str) -> Iterator[tuple[Any, Trace, Machine[Any]]]:
    """The kept runs of the system's bugs under `rules`: of bugs of this property first, then by the scope's size."""
    mine = [run for bug in BUGS if bug.system == system.name for run in kept_runs(bug.id)]
    for run in sorted(mine, key=lambda run: (name not in run.bug.properties, scope_size(run.scope))):
        machine = system.machine(run.scope, rules)
        yield run.scope, run.played(machine), machine


def _meets(property: Property, machine: Machine[Any], trace: Trace) -> bool:
    """Whether some state or transition of the run meets the premise."""
    steps = trace.steps
    if isinstance(property, Invariant):
        return any(property.premise(step.state) for step in steps)
    if isinstance(property, StepInvariant):
        return any(
            after.action is not None
            and after.action.name in property.actions
            and property.premise(before.state, after.action, after.state)
            for before, after in itertools.pairwise(steps)
        )
    assert isinstance(property, Liveness)
    return any(property.premise(step.state, each) for step in steps for each in property.entities(machine.sorts))
