"""What a hunt finds: a bug with the ways in which it shows, its name, and whether two are one."""

from typing import Any

from attrs import evolve, frozen

from kubeproof.fix.fix import Fix
from kubeproof.hunt.blame import Cure
from kubeproof.hunt.known import known_by_rule, known_elsewhere, known_ids
from kubeproof.systems.system import System
from model.machine import Action
from model.releases import Release


@frozen
class Asked:
    """What a hunt is about."""

    system: System
    release: Release
    fix: Fix | None = None
    # The gates as `--feature-gates` takes them, where the scopes grow. Scopes that are given have the gates in them.
    feature_gates: str = ""


@frozen
class Way:
    """One way in which a bug shows."""

    property: str
    # The powers of the environment that the run uses, and the options of the scope.
    powers: tuple[str, ...]
    # How many actions the shortest run has that was found.
    length: int


@frozen
class FoundBug:
    """One bug: a violation and what is to blame for it."""

    # The name of the property, and those that the same cure cures too.
    property: str
    also: tuple[str, ...]
    # The scope of the run.
    scope: Any
    # The run: a shortest one in this scope.
    actions: tuple[Action, ...]
    # What is wrong at its end.
    explanation: str
    # The powers of the environment that the run uses, and the options of the scope.
    powers: tuple[str, ...]
    # Each of them cures by itself; empty: no release has a cure.
    cures: tuple[Cure, ...]
    # How many explorations of the search for cures were cut short.
    cut: int
    # Whether the release itself takes this run too. If not, the run needs `under`: it may be no release's.
    own: bool
    # Field and rule of each cure of other bugs that was in force.
    under: tuple[tuple[str, str], ...]
    # The names of the actions of the run that use no power, in order.
    without_powers: tuple[str, ...]
    # The properties that fail earlier in the run, and after how many actions. The violation may follow from theirs.
    earlier: tuple[tuple[str, int], ...]
    # The ways in which the hunt found the bug, this run's among them.
    ways: tuple[Way, ...]
    # The ids of the kept bugs that this is; empty: unknown.
    known: tuple[str, ...] = ()


def named(asked: Asked, bug: FoundBug) -> FoundBug:
    """`bug` with the ids of the kept bugs that its ways show."""
    system, release, scope = asked.system, asked.release, bug.scope
    found = {swap.repairs for cure in bug.cures for swap in cure.swaps if swap.repairs}
    # A bug that a repair takes away has no end. So has a page that says more of the run by naming more powers.
    cures = () if found else bug.cures
    for way in bug.ways:
        found.update(known_ids(system, release, {way.property}, way.powers, cures, scope))
    found = found or set(known_by_rule(system, release, bug.cures, scope))
    elsewhere = () if found else bug.ways
    for way in elsewhere:
        found.update(known_elsewhere(system, release, {way.property}, way.powers, bug.cures))
    return evolve(bug, known=tuple(sorted(found)))


def same_bug(one: FoundBug, other: FoundBug) -> bool:
    """Whether two violations are one bug: the same rule cures both. Or nothing does, and one run contains the other.

    A run contains another one of the same property that ends with the same action if the actions of the other that use
    no power are actions of the run, in this order; where each action of the other uses a power, all its actions count.
    So what sets a bug off makes no difference. A cure by an older rule says nothing here: that rule may lack the whole
    feature in which each of several bugs is. What is known and has no cure is the same bug if it is the same kept bug.
    """
    mine, theirs = cured_by(one), cured_by(other)
    if mine and theirs:
        return not mine.isdisjoint(theirs)
    if mine or theirs:
        return False
    if one.known or other.known or one.property != other.property:
        return bool(one.known) and one.known == other.known
    return one.actions[-1].name == other.actions[-1].name and (_contains(one, other) or _contains(other, one))


def _contains(longer: FoundBug, shorter: FoundBug) -> bool:
    names = (action.name for action in longer.actions)
    wanted = shorter.without_powers or [action.name for action in shorter.actions]
    return all(name in names for name in wanted)


def cured_by(bug: FoundBug) -> set[frozenset[tuple[str, str]]]:
    """Of each cure by rules that are not older the fields, and since when the rules are, or which bug they repair."""
    newer = (cure.swaps for cure in bug.cures if not any(swap.older for swap in cure.swaps))
    return {frozenset((swap.field, swap.repairs or swap.cured_since) for swap in swaps) for swaps in newer}
