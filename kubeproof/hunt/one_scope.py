"""All bugs that show themselves in one scope: after each the rule to blame is cured, and the search goes on."""

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
    run_again,
    to_go_on,
)
from kubeproof.hunt.growing import powers_of
from kubeproof.hunt.known import known_ids
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Trace
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


@frozen
class Task:
    """One scope to look in."""

    asked: Asked
    scope: str
    # Field -> rule: what was found to cure bugs.
    cures: dict[str, str]
    # FoundBug that no release cures, each as the property and the powers. Such a violation is not examined again.
    incurable: tuple[tuple[str, tuple[str, ...]], ...]
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
    aside: set[str] = set()
    before: set[str] = set()
    while True:
        rules = rules_with(system, own, cures)
        machine = machine_with(system, scope, rules)
        results = explicit.check(machine, system.properties, limits=limits(task.until))
        failed = [result.rule_error for result in results if result.rule_error is not None]
        stopped = [
            each for each in results if each.outcome is Outcome.INCONCLUSIVE and "seconds" in (each.reason or "")
        ]
        cut += [f"{task.scope}: {text}" for text in dict.fromkeys([*failed, *(each.reason or "" for each in stopped)])]
        violated = [each for each in results if each.trace is not None and each.rule_error is None]
        names = {each.property for each in violated}
        if before and to_go_on(bugs[-1].cures):
            # A property that an error or a limit left open is not cured.
            open_ = {each.property for each in results if each.rule_error is not None or each in stopped}
            gone = before - names - open_ - {bugs[-1].property}
            bugs[-1] = evolve(bugs[-1], also=tuple(sorted(gone)))
            bugs[-1] = evolve(bugs[-1], known=_known(system, task, bugs[-1]))
        todo = [each for each in violated if each.property not in aside]
        if not todo or failed:
            return
        result = min(todo, key=lambda each: each.trace.length if each.trace else 0)
        aside_now = _set_aside(system, scope, result, task)
        if aside_now:
            aside.add(result.property)
            before = set()
            continue
        bug = _bug(system, task, own, cures, *_fewest_powers(system, scope, rules, result, task))
        bugs.append(evolve(bug, known=_known(system, task, bug)))
        before = names
        if to_go_on(bug.cures):
            cures |= to_go_on(bug.cures)
        else:
            aside.add(result.property)


def _set_aside(system: System, scope: Any, result: Result, task: Task) -> bool:
    """Whether a bug that no release cures has this property and needs no other powers."""
    assert result.trace is not None
    used = system.powers_used(scope, result.trace.actions)
    return any(name == result.property and set(powers) <= used for name, powers in task.incurable)


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
    blamed = blamed_for(Violation(system, release, scope, rules, property, result.trace, task.until, frozenset(cures)))
    return FoundBug(
        property=result.property,
        also=(),
        scope=scope_text(scope),
        actions=result.trace.actions,
        explanation=result.explanation or "",
        powers=tuple(sorted(system.powers_used(scope, result.trace.actions))),
        cures=blamed.cures,
        cut=blamed.cut,
        own=not cures or _violates(system, scope, own, result.property, result.trace),
        under=tuple(sorted(cures.items())),
    )


def _violates(system: System, scope: Any, rules: Any, name: str, trace: Trace) -> bool:
    """Whether the run violates the property under other rules too."""
    machine = machine_with(system, scope, rules)
    again = run_again(machine, trace)
    return again is not None and violation(machine, system.property_named(name), again) is not None


def _known(system: System, task: Task, bug: FoundBug) -> tuple[str, ...]:
    release = parse_release(task.asked.release)
    own = known_ids(system, release, {bug.property}, bug.powers, bug.cures)
    return own or known_ids(system, release, bug.also, bug.powers, bug.cures)


def same_bug(one: FoundBug, other: FoundBug) -> bool:
    """Whether two violations are one bug: the same rule cures both; or nothing does, and one needs no other powers.

    Without a cure the property has to be the same too.
    """
    if one.cures and other.cures:
        return bool(set(map(_rules_of, one.cures)) & set(map(_rules_of, other.cures)))
    if one.cures or other.cures or one.property != other.property:
        return False
    return set(one.powers) <= set(other.powers) or set(other.powers) < set(one.powers)


def _rules_of(cure: Cure) -> frozenset[tuple[str, str]]:
    return frozenset((swap.field, swap.cured_by) for swap in cure.swaps)
