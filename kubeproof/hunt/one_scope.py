"""All bugs that show themselves in one scope: after each the rule to blame is cured, and the search goes on."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from kubeproof.engines import explicit
from kubeproof.fix.fix import Fix, apply, chosen_fix
from kubeproof.hunt.blame import (
    Cure,
    OutOfTimeError,
    Violation,
    blamed_for,
    limits,
    machine_with,
    rules_with,
    to_go_on,
    to_keep,
)
from kubeproof.hunt.growing import powers_of
from kubeproof.hunt.known import known_by_rule, known_ids
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Cause, Result
from kubeproof.verdict.trace import Trace, run_again
from kubeproof.verdict.violation import violation
from model.machine import Action
from model.releases import parse_release, rules_for


@frozen
class Asked:
    """What a hunt is about. All of it are texts, which travel to other processes."""

    system: str
    release: str
    # The file of a fix, and built-in rules as `--rule` takes them.
    fix: str | None = None
    rules: tuple[str, ...] = ()
    # SHA-256 of the file of the fix: what was found with an older text of it is not what is asked.
    digest: str = ""


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
    # The scope of the run, as `--scope` takes it.
    scope: str
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
    # The ids of the kept bugs that this is; empty: unknown.
    known: tuple[str, ...] = ()
    # The names of the actions of the run that use no power, in order.
    without_powers: tuple[str, ...] = ()
    # The ways in which the hunt found the bug, this run's among them.
    ways: tuple[Way, ...] = ()


@frozen
class Task:
    """One scope to look in."""

    asked: Asked
    scope: str
    # Field -> rule: what was found to cure bugs.
    cures: dict[str, str]
    # What was examined and no newer release cures: the ways, and field -> rule of the repair, which may be empty.
    # Such a violation is not examined again.
    examined: tuple[tuple[Way, dict[str, str]], ...]
    # When the hunt ends, in seconds since the epoch.
    until: float


@frozen
class Explored:
    """What one scope showed."""

    scope: str
    bugs: tuple[FoundBug, ...]
    # Explorations that did not come to an end, a line each.
    cut: tuple[str, ...] = ()
    # Whether the scope was looked through before the time was over.
    ended: bool = True


@lru_cache(maxsize=1)
def _fix(asked: Asked) -> Fix | None:
    """The fix in this process. Its own processes end with this one."""
    return chosen_fix(None if asked.fix is None else Path(asked.fix), asked.rules, [system_named(asked.system)])


def explore_scope(task: Task) -> Explored:
    """The bugs of one scope, the one with the shortest run first, until nothing else is violated."""
    bugs: list[FoundBug] = []
    cut: list[str] = []
    try:
        _search(task, bugs, cut)
    except OutOfTimeError:
        return Explored(task.scope, tuple(bugs), tuple(cut), ended=False)
    return Explored(task.scope, tuple(bugs), tuple(cut))


def _search(task: Task, bugs: list[FoundBug], cut: list[str]) -> None:
    system, release = system_named(task.asked.system), parse_release(task.asked.release)
    scope = system.parse_scope(task.scope)
    own = apply(system, rules_for(system.rules_class, release), _fix(task.asked))
    cures = dict(task.cures)
    # Properties that are not looked at any more: for good, or until the repairs are in force.
    aside: set[str] = set()
    repaired: set[str] = set()
    # A repair may hide a bug that a newer release cures. So repairs come last.
    repairs: dict[str, str] = {}
    # Of the violations before the last cure: the ways.
    before: dict[str, Way] = {}
    while True:
        rules = rules_with(system, own, cures)
        machine = machine_with(system, scope, rules)
        results = explicit.check(machine, system.properties, limits=limits(task.until))
        failed = [result.rule_error for result in results if result.rule_error is not None]
        stopped = [each for each in results if each.cause is Cause.LIMIT]
        cut += [f"{task.scope}: {text}" for text in dict.fromkeys([*failed, *(each.reason or "" for each in stopped)])]
        violated = [each for each in results if each.trace is not None and each.rule_error is None]
        names = {each.property: _way(system, scope, each) for each in violated}
        if before:
            # A property that an error or a limit left open is not cured.
            open_ = {each.property for each in results if each.rule_error is not None or each in stopped}
            gone = sorted(set(before) - set(names) - open_ - {bugs[-1].property})
            ways = (*bugs[-1].ways, *(before[name] for name in gone))
            bugs[-1] = named(task.asked, evolve(bugs[-1], also=tuple(gone), ways=ways))
        todo = [each for each in violated if each.property not in aside | repaired]
        if failed or not (todo or repairs):
            return
        if not todo:
            cures |= repairs
            repairs, repaired, before = {}, set(), {}
            continue
        result = min(todo, key=lambda each: each.trace.length if each.trace else 0)
        cure = _examined_before(system, scope, result, task)
        if cure is None:
            bug = _bug(system, task, own, cures, *_fewest_powers(system, scope, rules, result, task))
            bugs.append(named(task.asked, bug))
            before, cure = names, to_go_on(bug.cures)
            if to_keep(bug.cures):
                cures |= cure
                continue
        before = {}
        if cure and not set(cure.items()) <= set(cures.items()):
            repairs |= cure
            repaired.add(result.property)
        else:
            aside.add(result.property)


def _examined_before(system: System, scope: Any, result: Result, task: Task) -> dict[str, str] | None:
    """The repair of a bug that has this property and needs no other powers; empty if it has none; None: no such bug."""
    assert result.trace is not None
    used = system.powers_used(scope, result.trace.actions)
    same = (cures for way, cures in task.examined if way.property == result.property and set(way.powers) <= used)
    return next(same, None)


def _fewest_powers(system: System, scope: Any, rules: Any, result: Result, task: Task) -> tuple[Any, Result]:
    """The scope without the powers and options that a run of at most this length does not need, and that run."""
    property = system.property_named(result.property)
    for power in powers_of(system):
        if not getattr(scope, power):
            continue
        try:
            smaller = evolve(scope, **{power: 0})
        except ValueError:
            continue
        machine = machine_with(system, smaller, rules)
        again = explicit.check(machine, [property], limits=limits(task.until))[0]
        found = again.trace is not None and again.rule_error is None
        if found and result.trace is not None and again.trace is not None and again.trace.length <= result.trace.length:
            scope, result = smaller, again
    return scope, result


def _bug(system: System, task: Task, own: Any, cures: dict[str, str], scope: Any, result: Result) -> FoundBug:
    """The bug that `result` shows; by a run of the release itself, if the release shows the same bug in the scope.

    A cure that is in force for another bug may add actions to the run or leave some out.
    """
    found = _examined(system, task, scope, own, cures, result)
    if found.own:
        return found
    property = system.property_named(result.property)
    machine = machine_with(system, scope, own)
    again = explicit.check(machine, [property], limits=limits(task.until))[0]
    if again.trace is None or again.rule_error is not None:
        return found
    of_release = _examined(system, task, scope, own, {}, again)
    return of_release if same_bug(of_release, found) else found


def _examined(system: System, task: Task, scope: Any, own: Any, cures: dict[str, str], result: Result) -> FoundBug:
    assert result.trace is not None
    rules = rules_with(system, own, cures)
    release = parse_release(task.asked.release)
    property = system.property_named(result.property)
    way = _way(system, scope, result)

    def documented(by: Sequence[Cure]) -> bool:
        return bool(known_ids(system, release, {result.property}, way.powers, by))

    violated = Violation(
        system, release, scope, rules, property, result.trace, task.until, frozenset(cures), documented
    )
    blamed = blamed_for(violated)
    options = system.powers_used(scope, ())
    return FoundBug(
        property=result.property,
        also=(),
        scope=scope_text(scope),
        actions=result.trace.actions,
        explanation=result.explanation or "",
        powers=way.powers,
        cures=blamed.cures,
        cut=blamed.cut,
        own=not cures or _violates(system, scope, own, result.property, result.trace),
        under=tuple(sorted(cures.items())),
        without_powers=tuple(
            action.name for action in result.trace.actions if system.powers_used(scope, (action,)) == options
        ),
        ways=(way,),
    )


def _violates(system: System, scope: Any, rules: Any, name: str, trace: Trace) -> bool:
    """Whether the run violates the property under other rules too."""
    machine = machine_with(system, scope, rules)
    again = run_again(machine, trace)
    return again is not None and violation(machine, system.property_named(name), again) is not None


def _way(system: System, scope: Any, result: Result) -> Way:
    assert result.trace is not None
    powers = tuple(sorted(system.powers_used(scope, result.trace.actions)))
    return Way(result.property, powers, result.trace.length)


def named(asked: Asked, bug: FoundBug) -> FoundBug:
    """`bug` with the ids of the kept bugs that its ways show."""
    system, release = system_named(asked.system), parse_release(asked.release)
    found = {swap.repairs for cure in bug.cures for swap in cure.swaps if swap.repairs}
    # A bug that a repair takes away has no end. So has a page that says more of the run by naming more powers.
    cures = () if found else bug.cures
    for way in bug.ways:
        found.update(known_ids(system, release, {way.property}, way.powers, cures))
    return evolve(bug, known=tuple(sorted(found or known_by_rule(system, release, bug.cures))))


def same_bug(one: FoundBug, other: FoundBug) -> bool:
    """Whether two violations are one bug: the same rule cures both. Or nothing does, and one run contains the other.

    A run contains another one of the same property that ends with the same action if the actions of the other that use
    no power are actions of the run, in this order. So what sets a bug off makes no difference. A cure by an older rule
    says nothing here: that rule may lack the whole feature in which each of several bugs is. What is known and has no
    cure is the same bug if it is the same kept bug.
    """
    mine, theirs = _cured_by(one), _cured_by(other)
    if mine and theirs:
        return not mine.isdisjoint(theirs)
    if mine or theirs:
        return False
    if one.known or other.known or one.property != other.property:
        return bool(one.known) and one.known == other.known
    return one.actions[-1].name == other.actions[-1].name and (_contains(one, other) or _contains(other, one))


def _contains(longer: FoundBug, shorter: FoundBug) -> bool:
    names = (action.name for action in longer.actions)
    return all(name in names for name in shorter.without_powers)


def _cured_by(bug: FoundBug) -> set[frozenset[tuple[str, str]]]:
    """Of each cure by rules that are not older the fields and rules."""
    newer = (cure.swaps for cure in bug.cures if not any(swap.older for swap in cure.swaps))
    return {frozenset((swap.field, swap.cured_by) for swap in swaps) for swaps in newer}
