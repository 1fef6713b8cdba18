"""Judging a fix in one system: each engine's answers before and after it, and the kept counterexamples again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve

from kubeproof.bugs.beside import KEPT_RUN, Beside, KeptViolation, beside
from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.known import known_beside
from kubeproof.bugs.runs import KeptRun, kept_runs
from kubeproof.engines.explicit import Limits, explore
from kubeproof.engines.explicit.search import exploration
from kubeproof.engines.question import Budget, Question, question
from kubeproof.engines.table import answer
from kubeproof.errors import RuleError
from kubeproof.fix.fix import Fix, apply
from kubeproof.fix.guarded import blamed_on
from kubeproof.fix.purity import hold_to_its_answers
from kubeproof.systems.system import System, scope_text
from kubeproof.validate.effects import NewErrors, ReachedStates, in_any_field
from kubeproof.validate.further import Further, Looked, Seen, look
from kubeproof.validate.masked import beside_cures
from kubeproof.validate.one_scope import OneScope
from kubeproof.validate.upstream_cure import with_what_upstream_shows
from kubeproof.validate.verdict import KnownRun, Part, Row
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from model.machine import Action
from model.releases import Release, known_release, rules_for
from properties.effect import Effect, Reached
from properties.property import Property

EFFECT_STATES = 200_000  # of each scope
_SPEAKS = frozenset({"broken", "violated anew", "uncovered"})  # what is told of a violation in further scopes
RUNS_OF_A_KIND = 4  # of a property that changes in one way in further scopes


def judge(
    system: System,
    release: Release,
    fix: Fix,
    bugs: Sequence[Bug],
    claims: tuple[str, ...] | None,
    engines: Sequence[str],
    scope: Any | None,
    only: Collection[str] | None = None,
    progress: Callable[[str], None] = lambda text: None,
    further: Further | None = None,
) -> Part:
    """The verdict on `fix` in `system`, whose `bugs` are documented and which `claims` says it must cure.

    Without `scope` the explicit engine judges in each scope that the system has for it: narrow ones, since a property
    that another bug violates anyway establishes nothing there; and in those of the kept counterexamples the properties
    of their bugs. The other engines take their own scope. `only`: names of the properties to judge; then no effects are
    looked for. `progress` is told what is asked next. `further`: how much the explicit engine may look at beside
    these scopes; None: nothing.
    """
    old = rules_for(system.rules_class, release)
    new = apply(system, old, fix)
    asked = (system.scopes.fix, *system.scopes.fix_narrow) if scope is None else (scope,)
    wanted = None if only is None else set(only)
    in_scopes: dict[Any, set[str] | None] = dict.fromkeys(asked, wanted)
    if scope is None and system.scopes.fix_narrow:
        for kept, of_bug in _kept_scopes(system, release, bugs):
            names = of_bug if wanted is None else of_bug & wanted
            if names:
                in_scopes[kept] = _with(in_scopes.get(kept, set()), names)
    part = Part(system, release, tuple(in_scopes), fix, [], [], [], claims)

    try:
        with blamed_on(fix.outside):
            questions = _questions(system, release, fix, engines, scope, in_scopes, wanted)
            effects_in = asked if only is None else ()
            beyond = further if scope is None else None
            found = _judged(part, bugs, old, new, _told(questions, progress), effects_in, beyond, progress)
            # What was judged beside cures has runs of other rules.
            runs = [(row.change, row.after) for row in found.rows if not row.beside.bugs]
            hold_to_its_answers(fix, system, new, (*runs, *(("", each) for each in found.brought)))
            return found
    except RuleError as error:
        return evolve(part, failure=str(error))


def _told(questions: Iterable[Question], progress: Callable[[str], None]) -> Iterator[Question]:
    """`questions`; before each one `progress` is told of it."""
    for number, asked in enumerate(questions, start=1):
        progress(f"{asked.system.name}, question {number}: {asked.engine}, scope {scope_text(asked.scope)}")
        yield asked


def _judged(
    part: Part,
    bugs: Sequence[Bug],
    old: Any,
    new: Any,
    questions: Iterable[Question],
    scopes: Sequence[Any],
    further: Further | None,
    progress: Callable[[str], None],
) -> Part:
    """`part` with its results. `scopes`: where effects are looked for, if anywhere. Raises RuleError."""
    rows: list[Row] = []
    searched: dict[Any, OneScope] = {}
    same = True
    same_in: list[Any] = []
    for asked in questions:
        if asked.engine != "explicit":
            found = [_row(asked, before, after) for before, after in _before_and_after(asked, rows)]
        else:
            one = searched[asked.scope] = OneScope(asked, old)
            found = one.results()
        failed = next((row for row in found if row.after.rule_error), None)
        if failed is not None:
            return evolve(part, rows=[failed], failure=failed.after.rule_error)
        if asked.engine != "explicit":
            rows += found
            continue
        whole = one.alike_in_whole(found)
        same_in += [asked.scope] if whole else []
        same = same and one.alike.so_far
        rows += one.run_by_run(found, whole)
    if further is not None and searched:
        judged = {row.after.scope: row.after.states or 0 for row in rows}
        asked_about = dict.fromkeys(row.after.property for row in rows)
        changed = [scope for scope, one in searched.items() if not one.alike.so_far]
        looked, more, failed = _in_further_scopes(part, old, asked_about, judged, changed, further, progress)
        if failed is not None:
            return evolve(part, rows=[failed], failure=failed.after.rule_error)
        part, same = evolve(part, looked=looked), same and not looked.differing
        rows += more
    names = {row.after.property for row in rows}
    without, with_fix = (beside(part.system, part.release, of, properties=names) for of in (None, new))
    alone = with_fix.only(without)
    rows = [_with_known(part, new, alone, row) for row in _with_premises(_with_samples_known(rows))]
    known = [_with_what_is_left(_known_run(part.system, bug, old, new), rows) for bug in bugs]
    part = evolve(part, rows=rows, known=known, same_in=tuple(same_in) if same and searched else None)
    rows = [with_what_upstream_shows(part, new, row) for row in rows]
    # In further scopes a violation that stays is told only if upstream's cure takes it away.
    part = evolve(part, rows=[row for row in rows if row.left or not row.further or row.change in _SPEAKS])
    if further is not None:
        part = evolve(part, rows=[*part.rows, *beside_cures(part, old, new)])
    brought = tuple(_brought(part, new, of) for of in alone.violations.values())
    effects = _effects(part, scopes, searched, old, new) if scopes else []
    return evolve(part, stays=with_fix.both(without), brought=brought, effects=effects)


def _in_further_scopes(
    part: Part,
    old: Any,
    names: Iterable[str],
    judged: Mapping[Any, int],
    changed: Collection[Any],
    further: Further,
    progress: Callable[[str], None],
) -> tuple[Looked, list[Row], Row | None]:
    """How far further scopes were looked at; what the fix violates there; how it failed.

    What the release violates too is told if a bug that the fix claims to cure has that property. Of equal runs the one
    in the first scope is kept, and of each property a few: to explain them is dear.
    """
    found: dict[tuple[str, str], dict[tuple[Action, ...], Row]] = {}
    failed: Row | None = None
    properties = [part.system.property_named(name) for name in names]
    claimed = [bug for bug in BUGS if bug.id in (part.claims or ())]
    of_claims = {each.name for each in properties if any(bug.names(each.name) for bug in claimed)}

    def see(scope: Any, states: int, asks: bool) -> Seen:
        nonlocal failed
        progress(f"{part.system.name}, further scopes: {scope_text(scope)}")
        # To show that a rule from outside tells no names apart may cost more than the small searches.
        budget = Budget(states=states, symmetry=not part.fix.outside)
        asked = question(
            part.system, part.release, "explicit", fix=part.fix, scope=scope, properties=properties, budget=budget
        )
        one = OneScope(asked, old)
        run = one.explored()
        if run.crash is not None or not one.alike.so_far or asks:
            rows = one.results()
            failed = failed or next((row for row in rows if row.after.rule_error), None)
            for row in one.run_by_run(rows, whole=False):
                # Where the release was not searched to the end, only a run that it gets right is no run of its own.
                cut = row.before.cause is Cause.LIMIT and not row.anew
                wanted = row.change in _SPEAKS or (row.change == "still violated" and row.after.property in of_claims)
                if wanted and row.after.trace is not None and not cut:
                    of_kind = found.setdefault((row.after.property, row.change), {})
                    if len(of_kind) < RUNS_OF_A_KIND:
                        of_kind.setdefault(row.after.trace.actions, evolve(row, further=True))
        return Seen(run, one.alike.asked, not one.alike.so_far)

    looked = look(part.system, judged, see, further, changed)
    return looked, [row for of_kind in found.values() for row in of_kind.values()], failed


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


def _before_and_after(asked: Question, rows: Sequence[Row]) -> Iterable[tuple[Result, Result]]:
    """The results without the fix and with it. `rows`: those of the engines that were asked before.

    An engine that cannot express the fix judges nothing. It is not asked about the release either where the explicit
    engine has looked at the same: no verdict needs its answer.
    """
    explored = {
        (row.before.property, row.before.scope)
        for row in rows
        if row.before.engine == "explicit" and row.before.cause is not Cause.LIMIT
    }
    if not all((each.name, asked.scope) in explored for each in asked.properties):
        return zip(answer(asked.without_fix()), answer(asked), strict=True)
    found = answer(asked)
    if all(result.outcome is Outcome.NOT_APPLICABLE for result in found):
        return [(_not_asked(result), result) for result in found]
    return zip(answer(asked.without_fix()), found, strict=True)


def _not_asked(after: Result) -> Result:
    """In place of an engine's result without the fix: the engine may well be able to judge the release alone."""
    return evolve(after, reason=f"not asked of the release, since of the fix there is no answer: {after.reason}")


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


def _questions(
    system: System,
    release: Release,
    fix: Fix,
    engines: Sequence[str],
    asked: Any | None,
    scopes: Mapping[Any, set[str] | None],
    only: set[str] | None,
) -> Iterator[Question]:
    """The explicit engine's in all `scopes`, of the properties named there; the others' in `asked` or their own.

    `only`: the properties of the others; None means all.
    """
    for engine in engines:
        if engine == "explicit":
            for scope, names in scopes.items():
                wanted = [system.property_named(name) for name in sorted(names or ())]
                yield question(system, release, engine, fix=fix, scope=scope, properties=wanted)
        else:
            wanted = [system.property_named(name) for name in sorted(only or ())]
            yield question(system, release, engine, fix=fix, scope=asked, properties=wanted)


def _row(asked: Question, before: Result, after: Result) -> Row:
    """The row; of a violation that only a sample found after the fix, whether the release has the same one."""
    row = Row(before, after)
    if row.change != "broken" or after.engine != "hypothesis" or after.trace is None:
        return row
    property = asked.system.property_named(after.property)
    return evolve(row, known_before=_violates(asked.without_fix().machine(), property, after.trace))


def _violates(machine: Any, property: Property, run: Trace) -> bool:
    """Whether the same actions violate the property under the rules of `machine`; False if it lacks this run."""
    try:
        return violation(machine, property, replay(machine, run.actions, loop=run.loop)) is not None
    except (ReplayError, RuleError):
        return False


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


def _effects(part: Part, scopes: Sequence[Any], searched: Mapping[Any, OneScope], old: Any, new: Any) -> list[Effect]:
    """What else differs, over the states that each scope reaches without the fix, and where no scope leads.

    `searched`: by scope what was asked there. Raises RuleError if the fix fails where it is
    asked alone. If it fails in a state that only the release may reach, that is an effect.
    """
    system, errors = part.system, NewErrors()

    def reached(scope: Any) -> Reached:
        one = searched.get(scope)
        if one is None:
            one = OneScope(question(system, part.release, "explicit", fix=part.fix, scope=scope), old, shares=False)
        limits = Limits(states=EFFECT_STATES)
        found = explore(one.before.on, symmetry=True, limits=limits)
        run = exploration(one.before.on)
        numbers = (run.intern(found.row(number)) for number in range(found.counts.distinct))
        return ReachedStates(run, exploration(one.after.on), numbers, errors)

    alone = system.effects_alone(old, new)
    try:
        told = [*system.effects(map(reached, scopes)), *errors.effects(), *alone]
        return told if any(effect.changed for effect in told) else told + in_any_field(system, scopes, old, new)
    except RuleError as error:
        return [Effect("the fix fails in a state that the release reaches", 1, 1, str(error), "states"), *alone]
