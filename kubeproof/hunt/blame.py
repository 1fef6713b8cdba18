"""Which rules are to blame for a violation: those whose swap for the rule of another release cures it.

Each rule is swapped alone, for each rule of newer releases in its field. If no swap cures, all rules of a newer release
together are tried. Where they cure, the fewest of them that do so are the rules to blame: two or more. They are to
blame also where a swap alone cures that no page knows, and a release before that swap's has a cure that a page knows.
If no newer release has a cure, older ones are tried in the same way: then the release is worse than they are.

A documented bug that no release cures may have a repair (`Repair` of `kubeproof/systems/system.py`). A repair is
swapped in like a rule of a newer release. Of two that cure as strongly, the newer release's rule is to blame if a page
names the bug.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from time import time
from typing import Any, Literal

from attrs import evolve, field, frozen

from kubeproof.bugs.counterexample import generations
from kubeproof.engines import explicit
from kubeproof.engines.explicit.shared import Shared
from kubeproof.errors import RuleError
from kubeproof.fix.guarded import careful
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import Trace, run_again
from kubeproof.verdict.violation import violation
from model.machine import Machine
from model.releases import Release, from_outside, knows, row_in, rows_of, rules_for
from model.rules import Row
from properties.property import Property

SECONDS = 60.0  # of one exploration
# What a swap does, the strongest first. `scope`: nothing in the scope violates the property any more. `premise`:
# nothing in the scope meets the premise any more. `run`: the run violates nothing any more, and only longer runs do.
Strength = Literal["scope", "premise", "run"]
_STRONGEST: tuple[Strength, ...] = ("scope", "premise", "run")


class OutOfTimeError(Exception):
    """The time of the hunt is over."""


@frozen
class Swap:
    """A rule to blame, and the rule of another release that cures in its place."""

    # The rule field.
    field: str
    # The name of the rule in force.
    rule: str
    # The first release with the rule in force, and the change that brought it; "" for the rule of a fix.
    since: str
    change: str
    # The name of the rule that cures.
    cured_by: str
    # The first release with that rule after the release in question; if only older ones have it, the last of their
    # rows. And the change that brought the rule.
    cured_since: str
    cured_change: str
    # Whether only older releases have the rule that cures: the release in question is worse than they are.
    older: bool = False
    # The documented bug of which the rule that cures is the repair; no release has this rule. "": a release has it.
    repairs: str = ""
    # The documented bug whose repair was in force before and still is: the rule that cures is a release's with the
    # repair. "": the rule that cures is as a release has it, or `repairs` says what it is.
    with_repair: str = ""


@frozen
class Cure:
    """Rules that cure when they are swapped together; mostly one."""

    swaps: tuple[Swap, ...]
    strength: Strength


@frozen
class Blamed:
    """What is to blame for a violation."""

    # Each cures by itself. The first is the one to go on with. Empty: no release has a cure.
    cures: tuple[Cure, ...]
    # How many explorations were cut short. Then there may be a cure that was not found.
    cut: int = 0


@frozen
class Violation:
    """A run that violates a property in a scope, and the rules under which it does."""

    system: System
    release: Release
    scope: Any
    rules: Any
    property: Property
    trace: Trace
    # When the hunt ends, in seconds since the epoch.
    until: float
    # The fields whose rules are cured already. They are not swapped again.
    cured: frozenset[str] = field(default=frozenset())
    # Whether a page names the bug that such cures take away.
    documented: Callable[[Sequence[Cure]], bool] = lambda cures: False


def limits(until: float) -> explicit.Limits:
    """The limits of an exploration that must end at `until`. Raises OutOfTimeError."""
    left = until - time()
    if left <= 0:
        raise OutOfTimeError
    return explicit.Limits(seconds=min(SECONDS, left))


def machine_with(system: System, scope: Any, rules: Any) -> Machine[Any]:
    """The system under rules that no release has together. What such rules make raise is a RuleError."""
    return careful(system.machine(scope, rules), ["rules of several releases"])


def results_of(system: System, scope: Any, rules: Any, properties: Sequence[Property], until: float) -> list[Result]:
    """What the explicit engine says of the properties. What it found under other rules in the scope it finds again.

    Raises OutOfTimeError.
    """
    within = limits(until)
    shared = _shared(system.name, scope, from_outside(rules, rules_of(system.mutants, system.repairs)))
    on = shared.search(scope, shared.under(rules), partial(machine_with, system, scope))
    return explicit.check(on, properties, limits=within)


@lru_cache(maxsize=4)
def _shared(system: str, scope: Any, outside: frozenset[str]) -> Shared:
    """What searches of a scope share, of a few scopes at once: what is remembered of one takes room."""
    named = system_named(system)
    return Shared(rules_of(named.mutants, named.repairs), outside)


def blamed_for(found: Violation) -> Blamed:
    """The rules to blame. Raises OutOfTimeError."""
    search = _Search(found)
    for older in (False, True):
        alone = _best(search.alone(older))
        repairs = () if older else _best(search.repairs())
        if repairs and (not alone or _rank(repairs[0]) < _rank(alone[0]) or not found.documented(alone)):
            alone = repairs
        nearer = None if older or not alone or found.documented(alone) else search.nearer_than(alone)
        if nearer is not None and found.documented([nearer]):
            # What a later release does as well is not what cured the bug.
            return Blamed((nearer,), search.cut)
        if alone:
            # One that a page names is gone on with: another may take the violation away by a bug of its own. Of several
            # the nearest: what came later does not say when the bug was cured.
            nearest = alone if older else sorted(alone, key=_came)
            return Blamed(tuple(sorted(nearest, key=lambda cure: not found.documented([cure]))), search.cut)
        together = search.together(older)
        if together is not None:
            return Blamed((together,), search.cut)
    return Blamed((), search.cut)


def _best(cures: Sequence[Cure]) -> tuple[Cure, ...]:
    """The strongest of `cures`."""
    return tuple(cure for cure in cures if _rank(cure) == min(map(_rank, cures)))


def _rank(cure: Cure) -> int:
    return _STRONGEST.index(cure.strength)


def _came(cure: Cure) -> tuple[int, Any]:
    """Orders newer cures by the release that brought the last rule; repairs, which none has brought, behind them."""
    rows = [
        since
        for swap in cure.swaps
        for since, row in rows_of(swap.field)
        if (row.since, row.rule.__name__) == (swap.cured_since, swap.cured_by)
    ]
    return (0, max(rows)) if rows else (1, ())


class _Search:
    def __init__(self, found: Violation) -> None:
        self.found = found
        self.cut = 0
        self.repairs_of = {repair.rule: repair for repair in found.system.repairs}

    def alone(self, older: bool) -> list[Cure]:
        """For each rule the strongest cure by a swap of this rule alone, for rules of newer or of older releases."""
        cures = []
        for name in self.found.system.rule_fields:
            of_field = []
            for row in self._others(name, older):
                strength = self.strength({name: row.rule})
                if strength is not None:
                    of_field.append(Cure((self._swap(row, older),), strength))
                if strength == "scope":
                    break
            if of_field:
                cures.append(min(of_field, key=_rank))
        return cures

    def repairs(self) -> list[Cure]:
        """The cures by a repair of a documented bug."""
        cures = []
        for repair in self.found.system.repairs:
            name = repair.field
            # Also where the rule of a newer release is in force for another bug.
            if getattr(self.found.rules, name) is repair.faulty:
                strength = self.strength({name: repair.rule})
                if strength is not None:
                    swap = Swap(
                        **self._now(name),
                        cured_by=repair.rule.__name__,
                        cured_since="",
                        cured_change="",
                        repairs=repair.bug,
                    )
                    cures.append(Cure((swap,), strength))
        return cures

    def together(self, older: bool) -> Cure | None:
        """The fewest rules of one release that cure together, from the nearest newer, or older, release that does."""
        at = self.found.release.version
        spans = generations(self.found.system)
        if older:
            return self._together([first for first, last in reversed(spans) if last.version < at], older)
        return self._together([first for first, _ in spans if first.version > at], older)

    def nearer_than(self, cures: Sequence[Cure]) -> Cure | None:
        """The fewest rules that cure together, of a newer release that has none of `cures` yet."""
        at = self.found.release.version
        came = min(map(_came, cures))
        newer = [first for first, _ in generations(self.found.system) if at < first.version]
        return self._together([first for first in newer if (0, first.version) < came], older=False)

    def _together(self, releases: Sequence[Release], older: bool) -> Cure | None:
        system = self.found.system
        for release in releases:
            theirs = rules_for(system.rules_class, release)
            others = {
                name: getattr(theirs, name)
                for name in system.rule_fields
                if name not in self.found.cured and getattr(theirs, name) is not getattr(self.found.rules, name)
            }
            if self._asks_others(others):
                continue
            if len(others) > 1 and self.strength(others) is not None:
                fewest = self._fewest(others)
                strength = self.strength(fewest)
                assert strength is not None
                rows = [row_in(name, release) for name in fewest]
                return Cure(tuple(self._swap(row, older) for row in rows), strength)
        return None

    def _fewest(self, others: Mapping[str, Any]) -> dict[str, Any]:
        """Those of `others` of which none can be left out, by leaving out halves, then quarters, and so on."""
        kept, size = dict(others), len(others) // 2
        while size:
            for start in range(0, len(others), size):
                names = set(list(others)[start : start + size])
                fewer = {name: rule for name, rule in kept.items() if name not in names}
                if fewer and len(fewer) < len(kept) and self.strength(fewer) is not None:
                    kept = fewer
            size //= 2
        return kept

    def _others(self, name: str, older: bool) -> Iterator[Row]:
        """The newer, or older, rows with the other rules of a field, each rule once, the nearest first.

        Where a repair is in force, each row has the repair of its own rule, or is left out: what is repaired stays so.
        """
        now = getattr(self.found.rules, name)
        in_force = self.repairs_of.get(now)
        if name in self.found.cured and in_force is None:
            return
        at, tried = self.found.release.version, [now if in_force is None else in_force.faulty]
        # A component may follow newer releases than the system knows.
        rows = [(since, row) for since, row in rows_of(name) if knows(self.found.system.name, row)]
        newer = [row for since, row in rows if since > at]
        before = [row for since, row in reversed(rows) if since <= at]
        for row in before if older else newer:
            if any(row.rule is rule for rule in tried) or self._asks_others({name: row.rule}):
                continue
            tried.append(row.rule)
            if in_force is None:
                yield row
            for repair in self.found.system.repairs:
                if in_force is not None and (repair.bug, repair.faulty) == (in_force.bug, row.rule):
                    yield evolve(row, rule=repair.rule)

    def _asks_others(self, others: Mapping[str, Any]) -> bool:
        """Whether with `others` the system asks rules that it does not ask now: then a gate is on, and none cures."""
        asks, found = self.found.system.not_asked, self.found.rules
        return asks(evolve(found, **others)) != asks(found)

    def _swap(self, row: Row, older: bool) -> Swap:
        return Swap(
            **self._now(row.field),
            cured_by=row.rule.__name__,
            cured_since=row.since,
            cured_change=row.change,
            older=older,
            with_repair=self.repairs_of[row.rule].bug if row.rule in self.repairs_of else "",
        )

    def _now(self, name: str) -> dict[str, Any]:
        """What a Swap says of the rule in force."""
        now, own = getattr(self.found.rules, name), row_in(name, self.found.release)
        since, change = (own.since, own.change) if own.rule is now else ("", "")
        return {"field": name, "rule": getattr(now, "__name__", name), "since": since, "change": change}

    def strength(self, others: Mapping[str, Any]) -> Strength | None:
        """How strongly `others`, rules in the place of those in force, cure; None: not at all, or nobody knows."""
        found = self.found
        swapped = evolve(found.rules, **others)
        machine = machine_with(found.system, found.scope, swapped)
        try:
            again = run_again(machine, found.trace)
            if again is not None and violation(machine, found.property, again) is not None:
                return None
            result = results_of(found.system, found.scope, swapped, [found.property], found.until)[0]
        except RuleError:
            return None
        if result.outcome is Outcome.HOLDS:
            return "scope"
        if result.cause is Cause.PREMISE:
            return "premise"
        if result.outcome is Outcome.INCONCLUSIVE:
            self.cut += 1
            return None
        grown = result.trace is not None and result.rule_error is None and result.trace.length > found.trace.length
        return "run" if grown and again is not None else None


def rules_with(system: System, rules: Any, cures: Mapping[str, str]) -> Any:
    """`rules` with the built-in rules that `cures` names, by field, in their places."""
    chosen: dict[str, Any] = {name: system.rules_to_choose(name)[rule] for name, rule in cures.items()}
    return evolve(rules, **chosen)


def to_go_on(cures: Sequence[Cure]) -> dict[str, str]:
    """Field -> rule of the cure to go on with; empty if no newer release has one, and no repair cures.

    An older rule is not gone on with: it brings back what newer releases have cured.
    """
    return {swap.field: swap.cured_by for cure in cures[:1] for swap in cure.swaps if not swap.older}


def to_keep(cures: Sequence[Cure]) -> dict[str, str]:
    """The part of `to_go_on` that stays in force in other scopes: no repair, which would hide bugs that end earlier."""
    repairs = {swap.field for cure in cures[:1] for swap in cure.swaps if swap.repairs or swap.with_repair}
    return {name: rule for name, rule in to_go_on(cures).items() if name not in repairs}
