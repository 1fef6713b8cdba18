"""Both grains of a system: what is violated where every hold of a lock is an action, and where few are."""

from collections.abc import Iterable
from typing import Any

from kubeproof.engines.explicit import check
from kubeproof.verdict.result import Outcome
from model.machine import Machine
from properties.property import Liveness, Property


def violated(machine: Machine[Any], properties: Iterable[Property]) -> set[str]:
    """The names of the properties that are violated in the machine's scope, which is searched to its end."""
    # Of a liveness property of whose sorts the scope has nobody nothing is searched.
    asked = [p for p in properties if not isinstance(p, Liveness) or p.entities(machine.sorts)]
    results = check(machine, asked)
    assert {result.outcome for result in results if result.states == 0} == set()
    return {result.property for result in results if result.outcome is Outcome.VIOLATED}
