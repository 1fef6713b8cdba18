"""Which documented bugs of a release explain a violation: a page says so, or the repair of a bug takes it away."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import Any

from attrs import evolve, fields

from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.kept import KeptRow, kept_releases, row_of
from kubeproof.bugs.runs import first_violations, kept_run
from kubeproof.engines import explicit
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import ReplayError, Trace, replay, run_again
from kubeproof.verdict.violation import violation
from model.machine import Machine
from model.releases import Release, known_release, rules_for
from properties.property import Property

# Of one exploration that asks whether a violation is gone. Nothing is said of a bug if the exploration ends early. The
# states are what should end it: on a busy machine the seconds pass without work.
LIMITS = explicit.Limits(states=100_000, seconds=30)


def explained(system: System, release: Release, results: Sequence[Result], *, with_fix: bool) -> list[Result]:
    """`results`, each violation with the ids of the documented bugs of `release` that explain it.

    `with_fix`: rules of a fix are in place. Then a documented bug explains only what the release violates too, in the
    same run. Raises KeyboardInterrupt.
    """
    return [_explained(system, release, result, with_fix) for result in results]


def _explained(system: System, release: Release, result: Result, with_fix: bool) -> Result:
    if result.outcome is not Outcome.VIOLATED or result.trace is None or result.known is not None:
        return result
    if with_fix:
        machine = system.machine(result.scope, rules_for(system.rules_class, release))
        again = run_again(machine, result.trace)
        if again is None or violation(machine, system.property_named(result.property), again) is None:
            return result.evolve(known=())
    return result.evolve(known=tuple(bug.id for bug in known_bugs(system, release, result)))


def known_bugs(system: System, release: Release, violated: Result) -> list[Bug]:
    """The documented bugs of `release` that explain the violation that a result of `system` shows.

    The page of such a bug shows that it violates the property. The bug is in this release, and the run of `violated`
    takes every power of the bug. A bug is left out if another one takes the same powers and more. If there is no such
    page, it is the bugs without whose faulty rule the violation is gone. Raises InputError if a kept list of releases
    is damaged.
    """
    if violated.trace is None:
        return []
    return with_a_page(system, release, violated) or _repaired_away(system, release, violated)


def known_beside(
    system: System,
    release: Release,
    rules: Any,
    fixed: Set[str],
    violated: Result,
    *,
    whatever_page: bool = False,
    whatever_powers: bool = False,
) -> list[Bug]:
    """The documented bugs of `release` that explain a violation that only a fix lets show.

    The release itself does not go wrong in this way, so a page is not enough: the violation must be gone if the bug is
    cured beside the fix. The bug's repair cures it, or the rule with which a later release ends it. A bug that has
    neither explains nothing here. Neither does one whose cure is a rule of a field that the fix has, unless its page
    fits a violation for which `whatever_page` is asked: the release violates this property itself.

    A page that fits names the property, and the run takes the powers of the bug. Or the run has the bug itself: the
    property of the bug's kept run fails on the way, and with the cure it does not.

    `rules`: those of the release with the fix. `fixed`: the fields of the fix. `whatever_page`: also bugs whose page
    has other properties, and some power that the run does not use. `whatever_powers`: also bugs whose page names the
    property, and has powers that the run does not use. Raises InputError as `known_bugs`.
    """
    trace = violated.trace
    if trace is None:
        return []
    property = system.property_named(violated.property)
    fitting = with_a_page(system, release, violated)
    taken = system.powers_used(violated.scope, trace.actions)

    def has_a_power(bug: Bug) -> bool:
        return bug.takes(taken) or not taken.isdisjoint(bug.powers)

    def beside(bug: Bug, cure: Mapping[str, Any]) -> bool:
        return fixed.isdisjoint(cure) or (whatever_page and bug in fitting)

    def explains(bug: Bug, cure: Mapping[str, Any]) -> bool:
        machine = system.machine(violated.scope, evolve(rules, **cure))
        # Most cures leave the run as it is, which is quickly seen.
        if _violates(machine, property, trace):
            return False
        # A cure may take away more than its own bug. So the run has to have something of the bug.
        named = whatever_powers and bug.names(property.name)
        has_it = bug in fitting or named or (whatever_page and has_a_power(bug)) or shows(bug, machine)
        return has_it and _gone(machine, property, trace)

    def shows(bug: Bug, cured: Machine[Any]) -> bool:
        own = [each for each in system.properties if each.name == bug.violates != property.name]
        found = first_violations(system.machine(violated.scope, rules), own, trace)
        again = run_again(cured, found[bug.violates][0]) if found else None
        return again is not None and violation(cured, own[0], again) is None

    return [
        bug
        for bug in BUGS
        if bug.system in system.has_bugs_of
        and (bug.names(property.name) or (whatever_page and has_a_power(bug)))
        and shown_in(bug, release)
        and any(beside(bug, cure) and explains(bug, cure) for cure in cures(system, release, rules, bug))
    ]


def left_of(system: System, release: Release, claimed: Collection[Bug], violated: Result) -> list[Bug]:
    """Of the bugs that a fix claims to cure those that a violation with the fix shows to be left.

    The release has the same violation, the page of the bug fits, and with upstream's cure in place of the fix no run of
    the scope violates the property in so few actions. A cure of several rules may take away other bugs too, and says
    nothing here. Neither does one that cures a bug which the fix does not claim, if the page of this bug fits as well.
    """
    trace, rules = violated.trace, rules_for(system.rules_class, release)
    property = system.property_named(violated.property)
    if trace is None or not _violates(system.machine(violated.scope, rules), property, trace):
        return []

    fitting = with_a_page(system, release, violated)
    others = [cure for bug in fitting if bug not in claimed for cure in cures(system, release, rules, bug)]

    def takes_it_away(cure: Mapping[str, Any]) -> bool:
        machine = system.machine(violated.scope, evolve(rules, **cure))
        alone = len(cure) == 1 and cure not in others
        return alone and not _violates(machine, property, trace) and _gone(machine, property, trace)

    return [bug for bug in fitting if bug in claimed and any(map(takes_it_away, cures(system, release, rules, bug)))]


def naming(system: System, release: Release, property: str) -> list[Bug]:
    """The bugs of `release` whose page names the property."""
    return [bug for bug in BUGS if bug.names_in(system, property) and shown_in(bug, release)]


def with_a_page(system: System, release: Release, violated: Result) -> list[Bug]:
    """The bugs of `release` whose page shows the property and powers of the violation."""
    assert violated.trace is not None
    taken = system.powers_used(violated.scope, violated.trace.actions)
    mine = [bug for bug in naming(system, release, violated.property) if bug.takes(taken)]
    return [bug for bug in mine if not any(set(bug.powers) < set(other.powers) for other in mine)]


def _repaired_away(system: System, release: Release, violated: Result) -> list[Bug]:
    """The bugs of `release` whose repair leaves no run that violates the property in so few actions."""
    trace, rules = violated.trace, rules_for(system.rules_class, release)
    property = system.property_named(violated.property)
    if trace is None or not _violates(system.machine(violated.scope, rules), property, trace):
        return []
    found = []
    for repair in system.repairs:
        bug = next(bug for bug in BUGS if bug.id == repair.bug)
        if getattr(rules, repair.field) is not repair.faulty or not shown_in(bug, release):
            continue
        if _gone(system.machine(violated.scope, evolve(rules, **{repair.field: repair.rule})), property, trace):
            found.append(bug)
    return found


def _gone(machine: Machine[Any], property: Property, trace: Trace) -> bool:
    """Whether no run that violates the property is as short as `trace`. False if the limits leave this open."""
    (again,) = explicit.check(machine, [property], limits=LIMITS)
    if again.rule_error is not None:
        return False
    holds = again.outcome is Outcome.HOLDS or again.cause is Cause.PREMISE
    return holds or (again.trace is not None and again.trace.length > trace.length)


def cures(system: System, release: Release, rules: Any, bug: Bug) -> Iterator[dict[str, Any]]:
    """Rules that cure `bug`, by field: its repairs, then those with which a later release ends the bug.

    A rule of a later release that takes away the kept run cures the bug too, where another run still shows it there.
    """
    for repair in system.repairs:
        if repair.bug == bug.id and getattr(rules, repair.field) is repair.faulty:
            yield {repair.field: repair.rule}
    rows = _rows(bug.id)
    own = row_of(rows, release)
    later = rows[rows.index(own) :] if own is not None else ()
    for before, after in pairwise(later):
        old, new = (rules_for(system.rules_class, known_release(text)) for text in (before.last, after.first))
        changed = {
            name: getattr(new, name) for name in system.rule_fields if getattr(new, name) is not getattr(old, name)
        }
        alone = [{name: rule} for name, rule in changed.items() if takes_away({name: rule}, bug)]
        yield from alone
        # Where `shown` is false and the property is violated, another bug needs fewer powers: this one has not ended.
        if not after.violated:
            yield from () if alone else [changed]
            return


def takes_away(rules: Mapping[str, Any], bug: Bug) -> bool:
    """Whether the kept run of `bug` violates nothing any more with `rules`, by field, in its release.

    Not if they need others of their release: with a list of events in the place of markers a rule may find no element.
    """
    system, run = system_named(bug.system), kept_run(bug)
    # A system that extends the bug's one has further rules, which no run of the bug asks.
    own = {name: rule for name, rule in rules.items() if name in {field.name for field in fields(system.rules_class)}}
    chosen = evolve(rules_for(system.rules_class, known_release(bug.release)), **own)
    machine = system.machine(run.scope, chosen)
    try:
        trace = replay(machine, run.actions, loop=run.loop)
    except ReplayError:
        return True
    except ValueError:
        return False
    return violation(machine, system.property_named(bug.violates), trace) is None


def _violates(machine: Machine[Any], property: Property, trace: Trace) -> bool:
    again = run_again(machine, trace)
    return again is not None and violation(machine, property, again) is not None


def shown_in(bug: Bug, release: Release) -> bool:
    """Whether the kept list of releases of `bug` says that `release` has it; of a vendor's, its upstream release.

    The list has no pre-releases. The bug's own release, which may be one, has the bug: the kept run is of that release.
    """
    row = row_of(_rows(bug.id), release)
    return release.version == known_release(bug.release).version or (row is not None and row.shown)


@cache
def _rows(name: str) -> tuple[KeptRow, ...]:
    (bug,) = (bug for bug in BUGS if bug.id == name)
    return kept_releases(bug)
