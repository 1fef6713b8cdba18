"""Which kept bug a violation is, by its property, its powers, and where the bug's release table ends."""

from collections.abc import Collection, Sequence
from typing import Any

from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.kept import KeptRow, kept_releases, row_of
from kubeproof.bugs.known import takes_away
from kubeproof.hunt.blame import Cure, Swap
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from model.gates import HINTS, switched_on
from model.releases import Release, known_release, row_at


def needs_a_gate_that_is_off(bug: Bug, scope: Any) -> bool:
    """Whether the kept run of `bug` has a gate on that `scope`, one of the bug's system, has off."""
    return any(getattr(scope, gate.bound, None) == gate.off for gate in switched_on(bug.given))


def known_ids(
    system: System,
    release: Release,
    properties: Collection[str],
    powers: Collection[str],
    cures: Sequence[Cure],
    scope: Any = None,
) -> tuple[str, ...]:
    """The ids of the kept bugs that a violation of one of `properties` in `release` is; mostly one or none.

    A bug is the same if it violates the property in the release, if the run uses all powers of the bug, and if one of
    the rules to blame changes where the bug's releases end. A violation that no newer release cures is a bug without an
    end. A bug with a repair has no end: where its releases end for a while, another bug hides it. `scope` is that of
    the run: with a gate off the run is no bug that needs the gate.
    """
    repaired = {repair.bug for repair in system.repairs}
    same = [
        bug
        for bug in BUGS
        if bug.system in system.has_bugs_of
        and set(bug.properties) & set(properties)
        and bug.takes(powers)
        and not needs_a_gate_that_is_off(bug, scope)
        and _ends_alike(kept_releases(bug), release, cures, has_end=bug.id not in repaired)
    ]
    # Another one takes the same powers and more: it says more of this run.
    return tuple(bug.id for bug in same if not any(set(bug.powers) < set(other.powers) for other in same))


def known_by_rule(system: System, release: Release, cures: Sequence[Cure], scope: Any = None) -> tuple[str, ...]:
    """The ids of the kept bugs that end where a rule to blame changes, and whose kept run the cure takes away.

    So a bug is known that shows by another property, or in another system with the rule, such as `list_nodes`. A cure
    by older rules names nothing here: an older rule may lack the whole feature in which each of several bugs is.
    """
    newer = [cure for cure in cures if not any(swap.older for swap in cure.swaps)]
    return tuple(
        bug.id
        for bug in BUGS
        if not (bug.system == system.name and needs_a_gate_that_is_off(bug, scope))
        if any(_takes_away(cure, bug) and _ends_alike(kept_releases(bug), release, [cure]) for cure in newer)
    )


def known_elsewhere(
    system: System,
    release: Release,
    properties: Collection[str],
    powers: Collection[str],
    cures: Sequence[Cure],
) -> tuple[str, ...]:
    """The ids of the bugs of other systems of which a violation of one of `properties` in `release` is one.

    The run uses all powers of such a bug. The bug violates a property of the same name, and ends alike. Or a rule to
    blame came where the bug's releases begin, and the older rule takes the bug's kept run away. A bug that needs a gate
    is left out where the gate is not on by default: the system of the run has no bound for the gate.
    """
    fields = set(system.rule_fields)
    of_others = [
        bug
        for bug in BUGS
        if bug.system not in system.has_bugs_of
        and not fields.isdisjoint(system_named(bug.system).rule_fields)
        # A bug without powers says nothing of what the run has of the bug.
        and bug.powers
        and bug.takes(powers)
        and _gates_are_on(bug, release)
    ]
    same = [
        bug
        for bug in of_others
        if not set(bug.properties).isdisjoint(properties) and _ends_alike(kept_releases(bug), release, cures)
    ]
    by_rule = (
        bug
        for bug in of_others
        if any(_takes_away(cure, bug) and _ends_alike(kept_releases(bug), release, [cure]) for cure in cures)
    )
    return tuple(bug.id for bug in same or by_rule)


def _gates_are_on(bug: Bug, release: Release) -> bool:
    """Whether `release` has each gate on that `bug` needs, in a run of a system without a bound for the gate."""
    needed = switched_on(bug.given)
    return not needed or (needed == (HINTS,) and HINTS.default_in(release) is True)


def _takes_away(cure: Cure, bug: Bug) -> bool:
    """Whether the kept run of `bug` violates nothing any more with the rules that cure."""
    system = system_named(bug.system)
    fields = system.rule_fields
    # The system of the bug may not know the field, or not the releases with the rule.
    if not all(swap.field in fields and swap.cured_by in system.rules_to_choose(swap.field) for swap in cure.swaps):
        return False
    return takes_away({swap.field: system.rules_to_choose(swap.field)[swap.cured_by] for swap in cure.swaps}, bug)


def bugs_of(system: System, release: Release, scopes: Sequence[Any] = ()) -> tuple[Bug, ...]:
    """The kept bugs of the system that the release has, less those that need a gate that is off in all of `scopes`."""
    own = (bug for bug in BUGS if bug.system == system.name and _place(kept_releases(bug), release) is not None)
    return tuple(bug for bug in own if not (scopes and all(needs_a_gate_that_is_off(bug, each) for each in scopes)))


def _place(rows: Sequence[KeptRow], release: Release) -> int | None:
    """The number of the row that has the release and shows the bug, or None."""
    row = row_of(rows, release)
    return rows.index(row) if row is not None and row.shown else None


def _ends_alike(rows: Sequence[KeptRow], release: Release, cures: Sequence[Cure], *, has_end: bool = True) -> bool:
    """Whether a rule to blame changes where the bug's releases end, or none cures a bug that does not end.

    With `has_end` false, a row without the bug is no end of the bug.
    """
    older = all(swap.older for cure in cures for swap in cure.swaps)
    own = row_of(rows, release)
    to_the_end = [row for row in rows if row is own or (has_end and known_release(row.last).version >= release.version)]
    if older and to_the_end and all(row.violated for row in to_the_end):
        # Where `shown` is false, another bug needs fewer powers. The hunt has cured that one, or set it aside.
        return True
    place = _place(rows, release)
    if place is None:
        return False
    first = last = place
    while last + 1 < len(rows) and rows[last + 1].shown:
        last += 1
    while first > 0 and rows[first - 1].shown:
        first -= 1

    def changes(swap: Swap, before: str, after: str) -> bool:
        one, other = (row_at(swap.field, known_release(text).version).rule for text in (before, after))
        return one is not other

    swaps = [swap for cure in cures for swap in cure.swaps]
    at_end = (
        has_end
        and last + 1 < len(rows)
        and any(changes(swap, rows[last].last, rows[last + 1].first) for swap in swaps if not swap.older)
    )
    if has_end and last + 1 == len(rows):
        # A table may end before the newest release, where another bug shows from then on (`asked_to`).
        end = known_release(rows[last].last).version
        newer = [swap for swap in swaps if not swap.older and swap.cured_since]
        at_end = any(
            known_release(swap.cured_since).version > end and row_at(swap.field, end).rule.__name__ == swap.rule
            for swap in newer
        )
    at_start = first > 0 and any(changes(swap, rows[first - 1].last, rows[first].first) for swap in swaps if swap.older)
    return at_end or at_start
