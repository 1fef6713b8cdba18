"""The scopes of a hunt: pairs of powers in the smallest scopes first, then more of everything."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from attrs import evolve, fields

from kubeproof.systems.scopes import Scopes
from kubeproof.systems.system import System
from model.gates import OF_SCOPES

LARGEST_SUM = 12  # of the bounds that are searched; a documented bug that needs more is a hole in the model
_OF_GATES = frozenset(gate.bound for gate in OF_SCOPES)


def powers_of(system: System) -> tuple[str, ...]:
    """The powers and options that a hunt switches on: the bounds that may be 0, without those of size and of grain."""
    scopes = system.scopes
    return tuple(
        field.name
        for field in fields(system.scope_class)
        if field.name not in {*scopes.searched, *scopes.least, *scopes.grains, *scopes.setups, *_OF_GATES}
    )


def growing_scopes(system: System, gates: Mapping[str, int] | None = None) -> Iterator[Any]:
    """Scopes of `system`, each once: every pair of powers in the smallest size, the built-in scopes, then larger ones.

    The size is the sum of the bounds in `Scopes.searched`. A larger scope has one more in its size or one more power.
    `gates`: the bounds of gates that each scope has.
    """
    seen: set[Any] = set()
    given = gates or {}
    powers = powers_of(system)
    # A pair, or all that there are.
    pair = min(2, len(powers))
    by_sum = sizes(system)
    for grown in range(len(by_sum) + len(powers)):
        for more in range(min(grown, len(powers) - pair) + 1):
            for size in by_sum[grown - more] if grown - more < len(by_sum) else ():
                for chosen in combinations(powers, pair + more):
                    scope = scope_with(system, {**size, **switched_on(system, chosen), **given})
                    if scope is not None and scope not in seen:
                        seen.add(scope)
                        yield scope
        if grown == 0:
            for scope in (evolve(each, **given) for each in built_in(system.scopes)):
                if scope not in seen:
                    seen.add(scope)
                    yield scope


def built_in(scopes: Scopes) -> tuple[Any, ...]:
    """The scopes that a system names for explorations with a few powers each."""
    return (*scopes.few_powers, scopes.default, *scopes.fix_narrow)


def switched_on(system: System, powers: Iterable[str]) -> dict[str, int]:
    """The bounds of these powers, and of what they come with."""
    bounds = dict.fromkeys(powers, 1)
    for power in powers:
        for name, least in system.scopes.comes_with.get(power, {}).items():
            bounds[name] = max(bounds.get(name, 0), least)
    return bounds


def sizes(system: System) -> list[list[dict[str, int]]]:
    """The bounds of size by their sum, from the smallest sum with a scope on."""
    names = system.scopes.searched
    by_sum: list[list[dict[str, int]]] = []
    for total in range(LARGEST_SUM + 1):
        these = [dict(zip(names, values, strict=True)) for values in _values(len(names), total)]
        these = [size for size in these if scope_with(system, size) is not None]
        if these or by_sum:
            by_sum.append(these)
    return by_sum


def _values(names: int, total: int) -> Iterator[tuple[int, ...]]:
    """All tuples of as many numbers with this sum."""
    if names == 0:
        if total == 0:
            yield ()
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _values(names - 1, total - first))


def scope_with(system: System, bounds: dict[str, int]) -> Any | None:
    """The scope with these bounds, others at their least value; None if there is no such scope."""
    zero = dict.fromkeys((field.name for field in fields(system.scope_class)), 0)
    try:
        return system.scope_class(**{**zero, **system.scopes.least, **bounds})
    except ValueError:
        return None
