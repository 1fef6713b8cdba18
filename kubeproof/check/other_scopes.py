"""Other scopes than the default one: where a premise is met, where a violation is smallest, and what would decide."""

import itertools
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any

import cattrs

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_runs
from kubeproof.engines.explicit import Limits, check
from kubeproof.engines.question import Question
from kubeproof.engines.table import answer
from kubeproof.store.results import kept_check
from kubeproof.store.store import Store
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import Trace
from model.machine import Machine
from properties.property import Invariant, Liveness, Property, StepInvariant

SECONDS = 20.0  # for each property
ALL_SECONDS = 120.0
ONE_SECONDS = 5.0  # for each scope
# Of a search for a state that meets the premise, in each scope.
LIMITS = Limits(states=20_000, seconds=3)


def scope_size(scope: Any) -> int:
    """The sum of the bounds."""
    return sum(value for value in cattrs.unstructure(scope or {}).values() if isinstance(value, int))


def unmet(results: Sequence[Result]) -> list[str]:
    """The properties whose premise no state that the explicit engine saw meets, unless another engine violates them."""
    violated = {result.property for result in results if result.outcome is Outcome.VIOLATED}
    return [
        result.property
        for result in results
        if result.engine == "explicit" and result.cause is Cause.PREMISE and result.property not in violated
    ]


def elsewhere(asked: Question, names: Sequence[str]) -> Iterator[Result]:
    """For each property of `names` the explicit engine's result in the first scope of `besides` that meets its premise.

    `asked` is the question of the explicit engine in the default scope. A property gets no result if none of the scopes
    meets its premise. Raises KeyboardInterrupt, and InputError as the engine does.
    """
    system = asked.system
    left = [system.property_named(name) for name in names]
    for scope in system.scopes.besides:
        if not left or not asked.watch.left():
            return
        asked.watch.tell(f"explicit again: {len(left)} properties in the scope {scope_text(scope)}")
        met = [
            result.evolve(scope=scope)
            for result in answer(asked.in_scope(scope).of(left))
            if result.cause is not Cause.PREMISE
        ]
        yield from met
        answered = {result.property for result in met}
        left = [property for property in left if property.name not in answered]


def smallest(asked: Question, results: Sequence[Result], store: Store | None = None) -> Iterator[Result]:
    """For each property that only samples violate, the explicit engine's violation in the smallest scope.

    `asked` is the question of the explicit engine, `results` are those of all engines. A property that the explicit
    engine violates already is not looked at. There is no result of a property if the time is over first, or if the
    run needs more than its own powers. What `store` has is not searched again. Raises KeyboardInterrupt.
    """
    end = monotonic() + ALL_SECONDS
    for result in only_sampled(results):
        asked.watch.tell(f"explicit again: the smallest scope in which {result.property} is violated")
        found = _searched(asked, result, min(end, asked.watch.until, monotonic() + SECONDS), store)
        if found is not None:
            yield found


def only_sampled(results: Sequence[Result]) -> list[Result]:
    """The violations that Hypothesis found and no other engine."""
    violated = [result for result in results if result.outcome is Outcome.VIOLATED]
    by_others = {result.property for result in violated if result.engine != "hypothesis"}
    return [result for result in violated if result.property not in by_others]


def _searched(asked: Question, sampled: Result, end: float, store: Store | None) -> Result | None:
    """The first violation in scopes of growing sums of bounds, until `end`."""
    property = asked.system.property_named(sampled.property)
    for scope in scopes_within(asked, sampled):
        left = end - monotonic()
        if left <= 0:
            return None
        limits = Limits(seconds=min(left, ONE_SECONDS))
        (result,) = kept_check(store, asked.in_scope(scope).of([property]), limits=limits)
        if result.outcome is Outcome.VIOLATED:
            return result.evolve(scope=scope)
    return None


def scopes_within(asked: Question, sampled: Result) -> Iterator[Any]:
    """The scopes with no more than the powers that the run of `sampled` uses, the smallest sum of bounds first."""
    assert sampled.trace is not None
    system = asked.system
    bounds: dict[str, int] = cattrs.unstructure(sampled.scope)
    used = system.powers_used(sampled.scope, sampled.trace.actions)
    choices = {
        name: range(value + 1)
        if name in system.scopes.searched or name in used
        else (system.scopes.least.get(name, 0),)
        for name, value in bounds.items()
    }
    every = sorted(itertools.product(*choices.values()), key=lambda values: (sum(values), values))
    for values in every:
        try:
            scope = system.scope_class(**dict(zip(choices, values, strict=True)))
        except ValueError:  # such as no pod
            continue
        yield scope


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
