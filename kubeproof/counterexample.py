"""The minimal counterexample of a bug: smallest scope, fewest actions, deterministic; and where it holds.

Minimal means: in the smallest scope in which the property fails (scopes ordered by the sum of their bounds, then
lexicographically), a run with the fewest actions; among those the first in the order in which the machine names its
actions.
"""

from collections.abc import Callable, Iterator
from itertools import count, product
from typing import Any

from attrs import fields, frozen
from packaging.version import Version

from kubeproof.catalogue import Bug
from kubeproof.engines import explicit
from kubeproof.systems import System, system_named
from kubeproof.trace import Trace
from kubeproof.verdict import Outcome, Result
from model.releases import NEWEST, NEWEST_PATCH, OLDEST, ROWS, Release, parse_release, release_rows, rules_for
from properties.property import Invariant

LARGEST_SUM = 12  # of a scope's bounds; a documented bug that needs more is a hole in the model


@frozen
class Counterexample:
    """The result whose trace is minimal, and the scope it was found in."""

    bug: Bug
    scope: Any
    result: Result


@frozen
class ReleaseRow:
    """Releases with the same rules, `first` to `last` of one minor; what the model shows there.

    `back_after`: the violating run followed by snapshots only; how many until every node is listed again, or None
    when none ever does. It is None too where nothing is violated.
    """

    minor: str
    first: str
    last: str
    violated: bool
    evidence: str
    back_after: int | None


def scopes(system: System) -> Iterator[Any]:
    """The scopes of a system from the smallest on, invalid ones left out."""
    names = [field.name for field in fields(system.scope_class)]
    for total in count(0):
        if total > LARGEST_SUM:
            return
        for values in product(range(total + 1), repeat=len(names)):
            if sum(values) == total:
                try:
                    yield system.scope_class(**dict(zip(names, values, strict=True)))
                except ValueError:
                    continue


def minimal_counterexample(bug: Bug) -> Counterexample | None:
    """The minimal counterexample of `bug` in its own release, or None when no scope up to the bound has one."""
    system = system_named(bug.system)
    rules = rules_for(system.rules_class, parse_release(bug.release))
    wanted = [system.property_named(bug.violates)]
    for scope in scopes(system):
        # Without symmetry, so that ties are broken by the order of actions alone.
        result = explicit.check(system.machine(scope, rules), wanted, symmetry=False)[0]
        if result.outcome is Outcome.VIOLATED:
            return Counterexample(bug, scope, result)
    return None


def release_points(system: System) -> list[tuple[Release, Release]]:
    """Ranges of patch releases, (first, last), within which no rule of `system` changes: at least one each minor."""
    ranges = []
    since = {Version(row.since) for row in ROWS if row.rule_field in system.rule_fields}
    for minor in range(OLDEST, NEWEST + 1):
        starts = sorted({v for v in since if v.minor == minor and not v.is_prerelease} | {Version(f"1.{minor}.0")})
        for start, end in zip(starts, [*starts[1:], None], strict=True):
            last = NEWEST_PATCH[minor] if end is None else end.micro - 1
            ranges.append((parse_release(str(start)), parse_release(f"1.{minor}.{last}")))
    return ranges


def release_rows_of(example: Counterexample) -> list[ReleaseRow]:
    """For every modelled release whether the property fails in the counterexample's scope, computed."""
    system = system_named(example.bug.system)
    invariant = system.property_named(example.bug.violates)
    assert isinstance(invariant, Invariant), "the kept counterexamples are of invariants"
    known: dict[Any, tuple[bool, int | None]] = {}
    rows = []
    for first, last in release_points(system):
        rules = rules_for(system.rules_class, first)
        if rules not in known:
            machine = system.machine(example.scope, rules)
            result = explicit.check(machine, [invariant], symmetry=False)[0]
            back = back_after(machine, invariant.holds, result.trace) if result.trace else None
            known[rules] = (result.outcome is Outcome.VIOLATED, back)
        violated, back = known[rules]
        rows.append(ReleaseRow(f"1.{first.minor}", str(first), str(last), violated, _evidence(system, first), back))
    return rows


def _evidence(system: System, release: Release) -> str:
    kinds = {row.evidence for field, row in release_rows(release).items() if field in system.rule_fields}
    return "inferred" if "inferred" in kinds else "read" if "read" in kinds else "recorded"


def back_after(machine: Any, holds: Callable[[Any], bool], trace: Trace) -> int | None:
    """How many times the last action must be repeated, with nothing else happening, until `holds`; None if never."""
    state, seen = trace.last, set()
    for number in count(1):
        if state in seen:
            return None
        seen.add(state)
        state = machine.step(state, trace.actions[-1])
        if holds(state):
            return number
    return None
