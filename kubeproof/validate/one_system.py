"""Judging a fix in one system: each engine's answers before and after it, and the kept counterexamples again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from attrs import evolve

from kubeproof.bugs.beside import KEPT_RUN, Beside, KeptViolation, beside
from kubeproof.bugs.catalogue import Bug
from kubeproof.bugs.known import known_beside
from kubeproof.bugs.runs import KeptRun, kept_runs
from kubeproof.engines.question import usual_scope
from kubeproof.errors import RuleError
from kubeproof.fix.fix import Fix
from kubeproof.fix.guarded import blamed_on
from kubeproof.fix.purity import hold_to_its_answers
from kubeproof.systems.system import System
from kubeproof.validate.further import Further
from kubeproof.validate.masked import beside_cures
from kubeproof.validate.one_engine import SPEAKS, Answer, Task, answered, effects_of, with_the_release
from kubeproof.validate.upstream_cure import with_what_upstream_shows
from kubeproof.validate.verdict import KnownRun, Part, Row
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import ReplayError, replay
from kubeproof.verdict.violation import violation
from model.releases import Release, known_release

# Has engines answer, in order: when they are asked for the next answer, or before.
Ask = Callable[[Iterable[Task]], Iterator[Answer]]
in_turn: Ask = partial(map, answered)


def judging(
    system: System,
    release: Release,
    fix: Fix,
    bugs: Sequence[Bug],
    claims: tuple[str, ...] | None,
    engines: Sequence[str],
    scope: Any | None,
    only: Collection[str] | None = None,
    further: Further | None = None,
    ask: Ask = in_turn,
) -> Callable[[], Part]:
    """Ask the engines. What is returned judges `fix` in `system` by their answers, and waits for them.

    The `bugs` of `system` are documented, and `claims` says which of them the fix must cure. Without `scope` the
    explicit engine judges in each scope that the system has for it: narrow ones, since a property that another bug
    violates anyway establishes nothing there; and in those of the kept counterexamples the properties of their bugs.
    The other engines take their own scope. `only`: names of the properties to judge; then no effects are looked for.
    `further`: how much the explicit engine may look at beside these scopes; None: nothing.
    """
    scopes = (system.scopes.fix, *system.scopes.fix_narrow) if scope is None else (scope,)
    wanted = None if only is None else set(only)
    in_scopes: dict[Any, set[str] | None] = dict.fromkeys(scopes, wanted)
    if scope is None and system.scopes.fix_narrow:
        for kept, of_bug in _kept_scopes(system, release, bugs):
            names = of_bug if wanted is None else of_bug & wanted
            if names:
                in_scopes[kept] = _with(in_scopes.get(kept, set()), names)
    part = Part(system, release, tuple(in_scopes), fix, [], [], [], claims)
    others = {name: scope or usual_scope(system, name, judging_fix=True) for name in engines if name != "explicit"}
    explicit = Task(
        system,
        release,
        fix,
        "explicit",
        tuple((each, _sorted(names)) for each, names in in_scopes.items()),
        effects_in=scopes if only is None else (),
        further=further if scope is None else None,
        others=tuple(others.values()),
        claims=claims,
    )

    def task(engine: str) -> Task:
        if engine == "explicit":
            return explicit
        own = others[engine]
        twice = "explicit" in engines and own in scopes
        return Task(system, release, fix, engine, ((own, _sorted(wanted)),), asked_twice=twice)

    tasks = [task(engine) for engine in engines]
    answers = ask(tasks)

    def judged() -> Part:
        try:
            with blamed_on(fix.outside):
                found = _judged(part, bugs, explicit, zip(tasks, answers, strict=True))
                # What was judged beside cures has runs of other rules.
                runs = [(row.change, row.after) for row in found.rows if not row.beside.bugs]
                new = explicit.rules[1]
                hold_to_its_answers(fix, system, new, (*runs, *(("", each) for each in found.brought)))
                return found
        except RuleError as error:
            return evolve(part, failure=str(error))

    return judged


def _sorted(names: Collection[str] | None) -> tuple[str, ...]:
    return tuple(sorted(names or ()))


def _judged(part: Part, bugs: Sequence[Bug], explicit: Task, found: Iterable[tuple[Task, Answer]]) -> Part:
    """`part` with its results. `explicit`: what the explicit engine is or would be asked. Raises RuleError."""
    old, new = explicit.rules
    answers: list[tuple[Task, Answer]] = []
    for task, answer in found:
        if answer.failure is not None:
            return evolve(part, rows=list(answer.rows), failure=answer.failure)
        answers.append((task, answer))
    rows = _in_order(answers)
    names = {row.after.property for row in rows}
    without, with_fix = (beside(part.system, part.release, of, properties=names) for of in (None, new))
    alone = with_fix.only(without)
    rows = [_with_known(part, new, alone, row) for row in _with_premises(_with_samples_known(rows))]
    known = [_with_what_is_left(_known_run(part.system, bug, old, new), rows) for bug in bugs]
    of_explicit = next((answer for task, answer in answers if task.engine == "explicit"), Answer(()))
    part = evolve(part, rows=rows, known=known, looked=of_explicit.looked, same_in=of_explicit.same_in)
    rows = [with_what_upstream_shows(part, new, row) for row in rows]
    # In further scopes a violation that stays is told only if upstream's cure takes it away.
    part = evolve(part, rows=[row for row in rows if row.left or not row.further or row.change in SPEAKS])
    if explicit.further is not None:
        part = evolve(part, rows=[*part.rows, *beside_cures(part, old, new)])
    brought = tuple(_brought(part, new, of) for of in alone.violations.values())
    effects = effects_of(explicit, {}) if of_explicit.effects is None else of_explicit.effects
    return evolve(part, stays=with_fix.both(without), brought=brought, effects=list(effects))


def _in_order(answers: Sequence[tuple[Task, Answer]]) -> list[Row]:
    """The rows of all engines, and last those of further scopes.

    What the explicit engine did not look at to its end the others are asked of the release in any case.
    """
    explored = {
        (row.before.property, row.before.scope)
        for _, answer in answers
        for row in answer.rows
        if row.before.engine == "explicit" and not row.further and row.before.cause is not Cause.LIMIT
    }
    rows: list[Row] = []
    for task, answer in answers:
        whole = all((row.after.property, row.after.scope) in explored for row in answer.rows)
        rows += answer.rows if whole or not answer.of_fix_alone else with_the_release(task, answer.rows)
    return sorted(rows, key=attrgetter("further"))


def _brought(part: Part, new: Any, runs: Sequence[KeptViolation]) -> Result:
    """What kept runs violate of one property with the fix alone: the shortest that no bug explains, else the shortest.

    `known` are the documented bugs of the release that explain it beside the fix, the reason names the run.
    """
    explained = []
    for each in sorted(runs, key=lambda each: each.trace.length):
        found = Result(
            property=each.property,
            engine=KEPT_RUN,
            outcome=Outcome.VIOLATED,
            trace=each.trace,
            explanation=each.explanation,
            reason=f"{each.bug.id}, after {each.trace.length} actions",
            scope=each.scope,
        )
        known = known_beside(part.system, part.release, new, part.fix.rules.keys(), found)
        if not known and _is_of_its_bug(part, each):
            known = [each.bug]
        explained.append(found.evolve(known=tuple(bug.id for bug in known)))
        if not known:
            return explained[-1]
    return explained[0]


def _is_of_its_bug(part: Part, kept: KeptViolation) -> bool:
    """Whether a kept run that the fix lets happen shows nothing but its own bug, which the release has.

    Before `asked_from` the release has the bug, and those of `hidden_by` hide it: the fix must cure one of them.
    """
    bug = kept.bug
    early = bool(bug.asked_from) and part.release.version < known_release(bug.asked_from).version
    uncovers = early and any(run.bug.id in bug.hidden_by for run in part.cured)
    return bug.names(kept.property) and (kept.shown or uncovers)


def _kept_scopes(system: System, release: Release, bugs: Sequence[Bug]) -> Iterator[tuple[Any, set[str]]]:
    """The scope of each kept counterexample, and the properties that its bug violates.

    A scope in which `release` is not asked for the bug is left out: there another bug violates the property anyway, and
    the search is dear.
    """
    for bug in filter(lambda bug: bug.asks(release), bugs):
        yield kept_runs(bug.id)[0].scope, {bug.violates, *bug.properties}


def _with(wanted: set[str] | None, more: set[str]) -> set[str] | None:
    """The names of both. None means all names."""
    return None if wanted is None else wanted | more


def _with_known(part: Part, new: Any, alone: Beside, row: Row) -> Row:
    """`row`; of a violation in new runs with the documented bugs of the release that explain it beside the fix.

    `alone`: what kept runs violate with the fix alone. What held in the scope is explained by a bug whose own kept run
    the violation is: the release has the bug, and shows it in other runs.
    """
    if row.change == "broken" and row.after.trace is not None:
        own = {
            each.bug.id
            for each in alone.violations.get(row.after.property, ())
            if each.shown and each.bug.names(each.property) and each.trace.actions == row.after.trace.actions
        }
        if own or not row.further:
            return evolve(row, known=tuple(sorted(own)))
    elif row.change not in ("uncovered", "violated anew"):
        return row
    # What is uncovered leaves the verdict open if no page explains the violation, so there the page must fit.
    known = known_beside(
        part.system,
        part.release,
        new,
        part.fix.rules.keys(),
        row.after,
        whatever_page=row.change == "violated anew",
        whatever_powers=row.further,
    )
    return evolve(row, known=tuple(bug.id for bug in known))


def _with_samples_known(rows: Sequence[Row]) -> list[Row]:
    """Marks what a sample found only after the fix, and an exhaustive search found before the fix too."""
    violated = {row.before.property for row in rows if row.before.outcome is Outcome.VIOLATED}
    return [
        evolve(row, known_before=True)
        if row.change == "broken" and row.after.engine == "hypothesis" and row.after.property in violated
        else row
        for row in rows
    ]


def _with_premises(rows: Sequence[Row]) -> list[Row]:
    """Marks a property whose premise no state of a scope meets after the fix, and which is judged in another one."""
    judged = {
        (row.after.property, row.after.engine) for row in rows if row.after.outcome in (Outcome.HOLDS, Outcome.VIOLATED)
    }
    return [
        evolve(row, met_elsewhere=True)
        if row.after.cause is Cause.PREMISE
        and row.after.engine == "explicit"
        and (row.after.property, row.after.engine) in judged
        else row
        for row in rows
    ]


def _with_what_is_left(run: KnownRun, rows: Sequence[Row]) -> KnownRun:
    """`run` with the violation that remains of the bug's property in the scope of its kept counterexample."""
    left = (
        row.after
        for row in rows
        if (row.after.property, row.after.scope) == (run.bug.violates, run.scope)
        and row.after.outcome is Outcome.VIOLATED
    )
    return evolve(run, left=next(left, None))


def _known_run(system: System, bug: Bug, old: Any, new: Any) -> KnownRun:
    """What becomes of the kept run that shows `bug` under the rules `old`; of the page's run if none does."""
    property = system.property_named(bug.violates)

    def end(run: KeptRun, rules: Any) -> tuple[bool, str]:
        machine = system.machine(run.scope, rules)
        try:
            trace = replay(machine, run.actions, loop=run.loop)
        except ReplayError as error:
            return False, f"the run is no longer possible: {error}"
        except RuleError as error:
            return True, str(error)
        wrong = violation(machine, property, trace)
        if wrong is None:
            return False, f"the run ends well: {bug.violates} holds"
        return True, f"the run still ends badly: {wrong}"

    runs = kept_runs(bug.id)
    shown = next((run for run in runs if end(run, old)[0]), None)
    run = shown or runs[0]
    remains, text = end(run, new)
    return KnownRun(bug, shown is not None, not remains, text, run.scope)
