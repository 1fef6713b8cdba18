"""The smallest scope in which the explicit engine finds what a sampled run of a large scope violates."""

from collections.abc import Iterator, Sequence
from itertools import product
from time import monotonic
from typing import Any

import cattrs

from kubeproof.engines.explicit import Limits
from kubeproof.engines.question import Question
from kubeproof.store.results import kept_check
from kubeproof.store.store import Store
from kubeproof.verdict.result import Outcome, Result

SECONDS = 20.0  # for each property
ALL_SECONDS = 120.0
ONE_SECONDS = 5.0  # for each scope


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
    every = sorted(product(*choices.values()), key=lambda values: (sum(values), values))
    for values in every:
        try:
            scope = system.scope_class(**dict(zip(choices, values, strict=True)))
        except ValueError:  # such as no pod
            continue
        yield scope
