"""The minimal counterexample of a bug: smallest scope, fewest actions, deterministic; and where it holds.

Minimal means: in the smallest scope in which the property fails (scopes ordered by the sum of their bounds, then
lexicographically), a run with the fewest actions; among those the one that is kept, else the first in the order in
which the machine names its actions. A system with many bounds has too many scopes for that: there a bug gives the
bounds that it needs, most of them 0, and the others are searched.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import count, product
from typing import Any

from attrs import evolve, fields, frozen
from packaging.version import Version

from kubeproof.bugs.catalogue import Bug
from kubeproof.bugs.runs import kept_runs
from kubeproof.engines import explicit
from kubeproof.engines.explicit.shared import LookedUp, Shared
from kubeproof.engines.question import Question, question
from kubeproof.errors import InputError
from kubeproof.store.results import Kept, kept_check
from kubeproof.store.store import Store
from kubeproof.systems.growing import LARGEST_SUM
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Step, Trace
from kubeproof.verdict.violation import violation
from model.evidence import WEAKEST_FIRST, evidence_in
from model.releases import LAST_PATCH, MINORS, ROWS, Release, known_release, rules_for
from properties.property import Property


@frozen
class Counterexample:
    """The result whose trace is minimal, and the scope it was found in."""

    bug: Bug
    scope: Any
    result: Result
    # What `kubeproof check` answers in this scope. It searches with symmetry, so its counts are others than `result`'s.
    checked: Result


@frozen
class ReleaseRow:
    """Releases of one minor with the same rules, and what the model shows there."""

    minor: str
    # The first and the last of the releases.
    first: str
    last: str
    # Whether the property is violated in the scope of the counterexample.
    violated: bool
    # How the rules that the exploration read are known, in each release the weakest. Other rules make no difference.
    evidence: str
    # How many actions the violation takes, or None.
    length: int | None
    # How often the last action of the violating run has to be repeated until nothing is violated. None: never, or
    # nothing is violated, or the bug does not ask this.
    back_after: int | None
    # The powers that the bug names and that the violation does not need here: then another bug violates the property.
    without: tuple[str, ...] = ()
    # Whether the violation passes by itself, for a bug whose violation stays.
    passes: bool = False

    @property
    def shows_bug(self) -> bool:
        """Whether the release has this bug: the violation needs all powers of the bug, and stays if the bug stays."""
        return self.violated and not self.without and not self.passes


def scopes(system: System, given: Iterable[tuple[str, int]] = ()) -> Iterator[Any]:
    """The scopes of a system with the `given` bounds, from the smallest on, invalid ones left out."""
    fixed = dict(given)
    names = [field.name for field in fields(system.scope_class) if field.name not in fixed]
    for total in count(0):
        if total > LARGEST_SUM:
            return
        for values in product(range(total + 1), repeat=len(names)):
            if sum(values) == total:
                try:
                    yield system.scope_class(**dict(zip(names, values, strict=True)), **fixed)
                except ValueError:
                    continue


def minimal_counterexample(bug: Bug, store: Store | None = None) -> Counterexample | None:
    """The minimal counterexample of `bug` in its own release, or None when no scope up to the bound has one.

    What `store` has is not searched again.
    """
    system, release = system_named(bug.system), known_release(bug.release)
    wanted = [system.property_named(bug.violates)]
    for scope in scopes(system, bug.given):
        asked = question(system, release, "explicit", scope=scope, properties=wanted)
        checked = kept_check(store, asked)[0]
        if checked.outcome is Outcome.VIOLATED:
            # Again without symmetry, so that ties are broken by the order of actions alone.
            result = kept_check(store, asked, symmetry=False)[0]
            return Counterexample(bug, scope, _as_kept(bug, asked, result), checked)
    return None


def _as_kept(bug: Bug, asked: Question, result: Result) -> Result:
    """`result` with the kept run of the page in place of the run that was found, if that one is no shorter.

    The kept run may have been played on the real code.
    """
    (property,), machine, found = asked.properties, asked.machine(), result.trace
    assert found is not None
    try:
        kept = kept_runs(bug.id)
    except InputError:  # a bug that has no page yet
        return result
    for run in kept:
        if (run.release, run.scope, len(run.actions)) == (bug.release, asked.scope, found.length):
            trace = run.played(machine)
            wrong = violation(machine, property, trace) if trace.length == found.length else None
            if wrong is not None and (trace.loop is None) == (found.loop is None):
                return result.evolve(trace=trace, explanation=wrong)
    return result


def release_points(system: System) -> list[tuple[Release, Release]]:
    """Ranges of patch releases, (first, last), within which no rule of `system` changes: at least one each minor."""
    return release_ranges(system.rule_fields, system.minors)


def release_ranges(rule_fields: Iterable[str], minors: range = MINORS) -> list[tuple[Release, Release]]:
    """`release_points` for these fields of any Rules classes, in these minors."""
    ranges = []
    wanted = set(rule_fields)
    since = {Version(row.since) for row in ROWS if row.field in wanted}
    for minor in minors:
        starts = sorted({v for v in since if v.minor == minor and not v.is_prerelease} | {Version(f"1.{minor}.0")})
        for start, end in zip(starts, [*starts[1:], None], strict=True):
            last = LAST_PATCH[minor] if end is None else end.micro - 1
            ranges.append((known_release(str(start)), known_release(f"1.{minor}.{last}")))
    return ranges


def generations(system: System) -> list[tuple[Release, Release]]:
    """The modelled releases, grouped while the rules of `system` stay the same."""
    groups: list[tuple[Release, Release]] = []
    before: Any = None
    for first, last in release_points(system):
        rules = rules_for(system.rules_class, first)
        if groups and rules == before:
            groups[-1] = (groups[-1][0], last)
        else:
            groups.append((first, last))
        before = rules
    return groups


def release_rows_of(
    example: Counterexample, among: frozenset[str] | None = None, store: Store | None = None
) -> list[ReleaseRow]:
    """For every release that the bug's table asks whether the property fails in the counterexample's scope, computed.

    `among`: only for rows whose first release is one of these. What `store` has is not searched again.
    """
    bug, system = example.bug, system_named(example.bug.system)
    asked = tuple(
        (first, last)
        for first, last in release_points(system)
        if (among is None or str(first) in among) and bug.asks(first)
    )
    search = _Search(bug.system, bug.violates, example.scope, bug.powers, bug.recovers)
    rows = []
    for (first, last), (read, (length, back, without)) in zip(asked, _shown_in(search, asked, store), strict=True):
        minor, evidence = f"1.{first.minor}", evidence_of(read, first, last)
        passes = bug.stays and back is not None
        rows.append(
            ReleaseRow(minor, str(first), str(last), length is not None, evidence, length, back, without, passes)
        )
    return rows


# (length, back_after, without) of a ReleaseRow.
_Shown = tuple[int | None, int | None, tuple[str, ...]]


@frozen
class _Search:
    """What a release table searches for. The tables of two bugs may search for the same."""

    system: str
    # The name of a property.
    violates: str
    scope: Any
    powers: tuple[str, ...]
    recovers: bool


@lru_cache(maxsize=256)
def _shown_in(
    search: _Search, asked: tuple[tuple[Release, Release], ...], store: Store | None
) -> tuple[tuple[frozenset[str], _Shown], ...]:
    """For each range of releases the rule fields that the exploration reads, and what the search finds.

    Remembered, since a report asks more than once, and for more than one bug.
    """
    system = system_named(search.system)
    shared = Shared(rules_of(system.mutants, system.repairs))
    property = system.property_named(search.violates)
    known: list[tuple[LookedUp, _Shown]] = []
    answers = []
    for first, _ in asked:
        rules = rules_for(system.rules_class, first)
        kept = None if store is None else Kept(store, "release table", system, rules, search)
        if kept is not None and (found := kept.found(property)) is not None:
            length, back, without = found.value
            answers.append((found.fields, (length, back, tuple(without))))
            continue
        alike = ((notes.read_by(rules), shown) for notes, shown in reversed(known))
        read, shown = next(((read, shown) for read, shown in alike if read is not None), (None, None))
        if read is None or shown is None:
            notes = shared.under(rules)
            shown = _shown(search, notes, shared)
            read = notes.fields
            known.append((notes, shown))
        if kept is not None:
            kept.keep({(property,): shown}, read)
        answers.append((read, shown))
    return tuple(answers)


def _shown(search: _Search, notes: LookedUp, shared: Shared) -> _Shown:
    """What the search finds with these rules."""
    system = system_named(search.system)
    property = system.property_named(search.violates)

    def checked(scope: Any) -> Result:
        found = shared.search(scope, notes, partial(system.machine, scope))
        return explicit.check(found, [property])[0]

    result = checked(search.scope)
    if result.outcome is not Outcome.VIOLATED or result.trace is None:
        return None, None, ()
    back = back_after(system.machine(search.scope, notes.rules), property, result.trace) if search.recovers else None
    less = {name: evolve(search.scope, **{name: 0}) for name in search.powers}
    without = [name for name, smaller in less.items() if checked(smaller).outcome is Outcome.VIOLATED]
    return result.trace.length, back, tuple(without)


def evidence_of(rule_fields: Iterable[str], first: Release, last: Release) -> str:
    """How these fields are known in the releases `first` to `last`, in each the weakest: e.g. "read, inferred"."""
    fields = tuple(rule_fields)
    minor, patches = first.minor, range(first.version.micro, last.version.micro + 1)
    kinds = {evidence_in(fields, known_release(f"1.{minor}.{patch}")) for patch in patches}
    return ", ".join(kind for kind in reversed(WEAKEST_FIRST) if kind in kinds)


def joined_evidence(*texts: str) -> str:
    """What `evidence_of` answers for ranges of releases, put together."""
    kinds = {kind for text in texts for kind in text.split(", ")}
    return ", ".join(kind for kind in reversed(WEAKEST_FIRST) if kind in kinds)


def back_after(machine: Any, property: Property, trace: Trace) -> int | None:
    """How many times the last action must be repeated, with nothing else happening, until nothing is violated."""
    state, seen, again = trace.last, set(), trace.actions[-1]
    for number in count(1):
        if state in seen:
            return None
        seen.add(state)
        after = machine.step(state, again)
        if violation(machine, property, Trace((Step(None, state), Step(again, after)))) is None:
            return number
        state = after
    return None
