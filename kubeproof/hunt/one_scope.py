"""All bugs that show themselves in one scope: after each the rule to blame is cured, and the search goes on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from kubeproof.fix.fix import apply
from kubeproof.hunt.blame import (
    Cure,
    OutOfTimeError,
    Violation,
    blamed_for,
    machine_with,
    results_of,
    rules_with,
    to_go_on,
    to_keep,
)
from kubeproof.hunt.found import Asked, FoundBug, Way, cured_by, named, same_bug
from kubeproof.hunt.known import known_ids
from kubeproof.systems.growing import powers_of
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Cause, Result
from kubeproof.verdict.trace import Trace, run_again
from kubeproof.verdict.violation import violation
from model.machine import Machine
from model.releases import rules_for
from properties.property import Liveness


@frozen
class Task:
    """One scope to look in."""

    asked: Asked
    scope: Any
    # Field -> rule: what was found to cure bugs.
    cures: dict[str, str]
    # What was examined and no newer release cures: the ways, and field -> rule of the repair, which may be empty.
    # Such a violation is not examined again.
    examined: tuple[tuple[Way, dict[str, str]], ...]
    # When the hunt ends, in seconds since the epoch.
    until: float

    def __str__(self) -> str:
        return scope_text(self.scope)


@frozen
class Explored:
    """What one scope showed."""

    scope: Any
    bugs: tuple[FoundBug, ...]
    # Explorations that did not come to an end, a line each.
    cut: tuple[str, ...] = ()
    # Whether the scope was looked through before the time was over.
    ended: bool = True


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
    system, scope = task.asked.system, task.scope
    own = apply(system, rules_for(system.rules_class, task.asked.release), task.asked.fix)
    cures = dict(task.cures)
    # Properties that are not looked at any more: for good, or until the repairs are in force.
    aside: set[str] = set()
    repaired: set[str] = set()
    # A repair may hide a bug that a newer release cures. So repairs come last.
    repairs: dict[str, str] = {}
    # What was in force so far. It is not put in force again: two cures may be rules of one field.
    tried = [cures]
    # The violations that were there when the last bug was found, if its cure came in force: property -> way.
    uncured: dict[str, Way] = {}
    while True:
        rules = rules_with(system, own, cures)
        now = _look(task, system, scope, rules)
        cut += now.cut
        if uncured:
            bugs[-1] = _with_others_cured(task.asked, bugs[-1], uncured, now)
        uncured = {}
        todo = [each for each in now.violated if each.property not in aside | repaired]
        if now.failed or not (todo or repairs):
            return
        if not todo:
            cures = _in_force(system, cures, repairs)
            if cures in tried:
                aside |= repaired
            tried.append(cures)
            repairs, repaired = {}, set()
            continue
        result = min(todo, key=lambda each: each.trace.length if each.trace else 0)
        cure = _examined_before(system, scope, result, task)
        if cure is None:
            bug = _bug(system, task, own, cures, *_fewest_powers(system, scope, rules, result, task))
            bugs.append(named(task.asked, bug))
            cure = to_go_on(bug.cures)
            if to_keep(bug.cures) and (more := _in_force(system, cures, cure)) not in tried:
                uncured = {each.property: _way(system, scope, each) for each in now.violated}
                cures = more
                tried.append(cures)
                continue
        if cure and not set(cure.items()) <= set(cures.items()):
            repairs |= cure
            repaired.add(result.property)
        else:
            aside.add(result.property)


@frozen
class _Looked:
    """What one exploration of the scope showed."""

    violated: list[Result]
    # The properties that an error or a limit left open.
    open: set[str]
    # Whether a rule raised an error.
    failed: bool
    # What did not come to an end, a line each.
    cut: list[str]


def _look(task: Task, system: System, scope: Any, rules: Any) -> _Looked:
    """Ask for all properties under `rules`."""
    results = results_of(system, scope, rules, system.properties, task.until)
    failed = [each for each in results if each.rule_error is not None]
    stopped = [each for each in results if each.cause is Cause.LIMIT]
    why = dict.fromkeys([*(each.rule_error or "" for each in failed), *(each.reason or "" for each in stopped)])
    return _Looked(
        violated=[each for each in results if each.trace is not None and each.rule_error is None],
        open={each.property for each in (*failed, *stopped)},
        failed=bool(failed),
        cut=[f"{scope_text(task.scope)}: {text}" for text in why],
    )


def _with_others_cured(asked: Asked, bug: FoundBug, uncured: Mapping[str, Way], now: _Looked) -> FoundBug:
    """`bug` with the properties that its cure cures too, and the ways in which these were violated.

    `uncured`: what was violated before the cure, property -> way. A property that is open `now` is not cured.
    """
    gone = sorted(uncured.keys() - {each.property for each in now.violated} - now.open - {bug.property})
    ways = (*bug.ways, *(uncured[name] for name in gone))
    return named(asked, evolve(bug, also=tuple(gone), ways=ways))


def _in_force(system: System, cures: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """`cures` and `more`, field -> rule. What is repaired stays so: a rule that comes or goes has the repair too."""
    both = {**cures, **more}
    by_name = {repair.rule.__name__: repair for repair in system.repairs}
    for field in set(cures) & set(more):
        for first, second in ((cures[field], more[field]), (more[field], cures[field])):
            if first in by_name and second not in by_name:
                bug = by_name[first].bug
                same = (name for name, each in by_name.items() if (each.bug, each.faulty.__name__) == (bug, second))
                both[field] = next(same, first)
        if cures[field] in by_name and more[field] in by_name:
            both[field] = cures[field]
    return both


def _examined_before(system: System, scope: Any, result: Result, task: Task) -> dict[str, str] | None:
    """The repair of a bug that has this property and needs no other powers; empty if it has none; None: no such bug."""
    assert result.trace is not None
    used = system.powers_used(scope, result.trace.actions)
    same = (cures for way, cures in task.examined if way.property == result.property and set(way.powers) <= used)
    return next(same, None)


def _fewest_powers(system: System, scope: Any, rules: Any, result: Result, task: Task) -> tuple[Any, Result]:
    """The scope without the powers and options that a run of at most this length does not need, and that run."""
    property = system.property_named(result.property)
    needed = {power for grain, power in system.scopes.grain_needs.items() if getattr(scope, grain)}
    for power in powers_of(system):
        if not getattr(scope, power) or power in needed:
            continue
        try:
            smaller = evolve(scope, **{power: 0})
        except ValueError:
            continue
        again = results_of(system, smaller, rules, [property], task.until)[0]
        found = again.trace is not None and again.rule_error is None
        if found and result.trace is not None and again.trace is not None and again.trace.length <= result.trace.length:
            scope, result = smaller, again
    return scope, result


def _bug(system: System, task: Task, own: Any, cures: dict[str, str], scope: Any, result: Result) -> FoundBug:
    """The bug that `result` shows; by a run of the release itself, if the release shows the same bug in the scope.

    A cure that is in force for another bug may add actions to the run or leave some out. Or the release takes the run,
    a cure in force makes it right, and the other cures make it wrong again. Then it is what the cure cures.
    """
    found = _examined(system, task, scope, own, cures, result)
    if found.own:
        of_release = None if not cures or cured_by(found) else _of_release(system, task, scope, own, result)
        return of_release if of_release is not None and _cured_by_one_of(cures, of_release) else found
    property = system.property_named(result.property)
    again = results_of(system, scope, own, [property], task.until)[0]
    if again.trace is None or again.rule_error is not None:
        return found
    of_release = _examined(system, task, scope, own, {}, again)
    uncured = not (cured_by(of_release) or cured_by(found))
    alike = same_bug(of_release, found) or (uncured and of_release.powers == found.powers)
    return of_release if alike else found


def _of_release(system: System, task: Task, scope: Any, own: Any, result: Result) -> FoundBug | None:
    """What the run of `result` shows in the release itself; None if it shows nothing there."""
    trace = None if result.trace is None else run_again(machine_with(system, scope, own), result.trace)
    return None if trace is None else _examined(system, task, scope, own, {}, result.evolve(trace=trace))


def _cured_by_one_of(cures: Mapping[str, str], bug: FoundBug) -> bool:
    """Whether one of `cures` alone cures the bug, field -> rule."""
    return any({swap.field: swap.cured_by for swap in cure.swaps}.items() <= cures.items() for cure in bug.cures)


def _examined(system: System, task: Task, scope: Any, own: Any, cures: dict[str, str], result: Result) -> FoundBug:
    assert result.trace is not None
    rules = rules_with(system, own, cures)
    release = task.asked.release
    property = system.property_named(result.property)
    way = _way(system, scope, result)

    def documented(by: Sequence[Cure]) -> bool:
        return bool(known_ids(system, release, {result.property}, way.powers, by, scope))

    violated = Violation(
        system, release, scope, rules, property, result.trace, task.until, frozenset(cures), documented
    )
    blamed = blamed_for(violated)
    options = system.powers_used(scope, ())
    return FoundBug(
        property=result.property,
        also=(),
        scope=scope,
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
        earlier=tuple(_earlier(machine_with(system, scope, rules), system, result.property, result.trace)),
        ways=(way,),
    )


def _earlier(machine: Machine[Any], system: System, violated: str, trace: Trace) -> Iterator[tuple[str, int]]:
    """The properties that fail before `violated` does, by when they first do.

    A liveness property fails for ever after the last action, so what this action violates comes before.
    """
    asked = [property for property in system.properties if not isinstance(property, Liveness)]
    lasts = isinstance(system.property_named(violated), Liveness)
    for length in range(trace.length + lasts):
        beginning = Trace(trace.steps[: length + 1])
        for property in asked.copy():
            if violation(machine, property, beginning) is not None:
                asked.remove(property)
                yield property.name, length


def _violates(system: System, scope: Any, rules: Any, name: str, trace: Trace) -> bool:
    """Whether the run violates the property under other rules too."""
    machine = machine_with(system, scope, rules)
    again = run_again(machine, trace)
    return again is not None and violation(machine, system.property_named(name), again) is not None


def _way(system: System, scope: Any, result: Result) -> Way:
    assert result.trace is not None
    powers = tuple(sorted(system.powers_used(scope, result.trace.actions)))
    return Way(result.property, powers, result.trace.length)
