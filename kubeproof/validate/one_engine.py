"""What one engine finds of a fix in one system, before the fix and after it: a task of names and texts for a worker."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from kubeproof.bugs.catalogue import BUGS
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
from kubeproof.validate.one_scope import OneScope
from kubeproof.validate.verdict import Row
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from model.machine import Action
from model.releases import Release, rules_for
from properties.effect import Effect, Reached
from properties.property import Property

EFFECT_STATES = 200_000  # of each scope
SPEAKS = frozenset({"broken", "violated anew", "uncovered"})  # what is told of a violation in further scopes
RUNS_OF_A_KIND = 4  # of a property that changes in one way in further scopes
# How long an engine takes against the others, as far as one can say before.
WEIGHTS = {"explicit": 4.0, "hypothesis": 3.0, "tlc": 2.0, "z3": 1.0}


@frozen
class Task:
    """What one engine is asked of a fix in one system."""

    system: System
    release: Release
    fix: Fix
    engine: str
    # The scopes, each with the names of the properties; none stands for all.
    scopes: tuple[tuple[Any, tuple[str, ...]], ...]
    # The scopes in which the explicit engine looks for effects.
    effects_in: tuple[Any, ...] = ()
    # How much the explicit engine may look at beside its scopes, and beside those of other engines; None: nothing.
    further: Further | None = None
    others: tuple[Any, ...] = ()
    # The ids of the bugs that the fix must cure; None: nobody says.
    claims: tuple[str, ...] | None = None
    # Whether the explicit engine is asked the same.
    asked_twice: bool = False

    @property
    def rules(self) -> tuple[Any, Any]:
        """Those of the release, and those with the fix in their places."""
        old = rules_for(self.system.rules_class, self.release)
        return old, apply(self.system, old, self.fix)

    @property
    def questions(self) -> list[Question]:
        """With the fix, in each scope."""
        of, named = self.system, self.system.property_named
        return [
            question(
                of, self.release, self.engine, fix=self.fix, scope=scope, properties=[named(name) for name in names]
            )
            for scope, names in self.scopes
        ]

    def __str__(self) -> str:
        return f"{self.system.name} by {self.engine}"


@frozen
class Answer:
    """What an engine found."""

    rows: tuple[Row, ...]
    # How a rule of the fix went wrong. Then nothing else was established, and the one row leads there.
    failure: str | None = None
    # Whether the release was not asked about, since of the fix there is no answer.
    of_fix_alone: bool = False
    # What the explicit engine alone can say: how far it looked in further scopes; the scopes that it searched to the
    # end, if every answer of the fix was the release's in all; what else differs. None: it was not asked for this.
    looked: Looked | None = None
    same_in: tuple[Any, ...] | None = None
    effects: tuple[Effect, ...] | None = None


def answered(task: Task, progress: Callable[[str], None] = lambda text: None) -> Answer:
    """What the engine finds. `progress` is told what is asked next. Raises RuleError."""
    with blamed_on(task.fix.outside):
        return _explicit(task, progress) if task.engine == "explicit" else _other(task, progress)


def answered_elsewhere(task: Task) -> Answer:
    """The same in a process that does nothing else with the fix: so it asks a sample of the calls again."""
    found = answered(task)
    hold_to_its_answers(task.fix, task.system, task.rules[1], ())
    return found


def weight(task: Task) -> float:
    """What the time for a task grows with."""
    return WEIGHTS[task.engine]


def _failed(rows: Iterable[Row]) -> Answer | None:
    failed = next((row for row in rows if row.after.rule_error), None)
    return None if failed is None else Answer((failed,), failed.after.rule_error)


def _other(task: Task, progress: Callable[[str], None]) -> Answer:
    """An engine that cannot express the fix judges nothing.

    It is not asked about the release either where the explicit engine is asked the same: no verdict needs its answer.
    """
    (asked,) = task.questions
    progress(_said(asked))
    if not task.asked_twice:
        before, after = answer(asked.without_fix()), answer(asked)
    else:
        after = answer(asked)
        if all(result.outcome is Outcome.NOT_APPLICABLE for result in after):
            return Answer(tuple(Row(_not_asked(result), result) for result in after), of_fix_alone=True)
        before = answer(asked.without_fix())
    rows = tuple(_row(asked, *each) for each in zip(before, after, strict=True))
    return _failed(rows) or Answer(rows)


def _said(asked: Question) -> str:
    return f"{asked.system.name}: {asked.engine}, scope {scope_text(asked.scope)}"


def _not_asked(after: Result) -> Result:
    """In place of an engine's result without the fix: the engine may well be able to judge the release alone."""
    return evolve(after, reason=f"not asked of the release, since of the fix there is no answer: {after.reason}")


def with_the_release(task: Task, rows: Iterable[Row]) -> list[Row]:
    """`rows` of the fix alone, with what the engine says of the release. For an engine that is not explicit."""
    (asked,) = task.questions
    return [Row(before, row.after) for before, row in zip(answer(asked.without_fix()), rows, strict=True)]


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


def _explicit(task: Task, progress: Callable[[str], None]) -> Answer:
    old, _ = task.rules
    rows: list[Row] = []
    searched: dict[Any, OneScope] = {}
    same = True
    same_in: list[Any] = []
    for asked in task.questions:
        progress(_said(asked))
        one = searched[asked.scope] = OneScope(asked, old)
        found = one.results(decided=any(row.change == "broken" for row in rows))
        if failed := _failed(found):
            return failed
        whole = one.alike_in_whole(found)
        same_in += [asked.scope] if whole else []
        same = same and one.alike.so_far
        rows += one.run_by_run(found, whole)
    looked: Looked | None = None
    if task.further is not None:
        changed = [scope for scope, one in searched.items() if not one.alike.so_far]
        looked, more, failed = _in_further_scopes(task, task.further, old, rows, changed, progress)
        if failed:
            return failed
        same = same and not looked.differing
        rows += more
    effects = effects_of(task, searched)
    return Answer(tuple(rows), looked=looked, same_in=tuple(same_in) if same else None, effects=tuple(effects))


def _in_further_scopes(
    task: Task,
    further: Further,
    old: Any,
    rows: Sequence[Row],
    changed: Sequence[Any],
    progress: Callable[[str], None],
) -> tuple[Looked, list[Row], Answer | None]:
    """How far further scopes were looked at; what the fix violates there; how it failed.

    `rows`: of the scopes in which the fix is judged anyway. `changed`: of these scopes those in which it answers
    otherwise than the release. What the release violates too is told if a bug that the fix claims to cure has that
    property. Of equal runs the one in the first scope is kept, and of each property a few: to explain them is dear.
    """
    found: dict[tuple[str, str], dict[tuple[Action, ...], Row]] = {}
    failure: Answer | None = None
    # How many states the scopes of other engines have is not known here.
    judged = {row.after.scope: row.after.states or 0 for row in rows} | dict.fromkeys(task.others, 0)
    properties = [task.system.property_named(name) for name in dict.fromkeys(row.after.property for row in rows)]
    claimed = [bug for bug in BUGS if bug.id in (task.claims or ())]
    of_claims = {each.name for each in properties if any(bug.names(each.name) for bug in claimed)}

    def see(scope: Any, states: int, asks: bool) -> Seen:
        nonlocal failure
        progress(f"{task.system.name}, further scopes: {scope_text(scope)}")
        # To show that a rule from outside tells no names apart may cost more than the small searches.
        budget = Budget(states=states, symmetry=not task.fix.outside)
        asked = question(
            task.system, task.release, "explicit", fix=task.fix, scope=scope, properties=properties, budget=budget
        )
        one = OneScope(asked, old)
        run = one.explored()
        if run.crash is not None or not one.alike.so_far or asks:
            results = one.results()
            failure = failure or _failed(results)
            for row in one.run_by_run(results, whole=False):
                # Where the release was not searched to the end, only a run that it gets right is no run of its own.
                cut = row.before.cause is Cause.LIMIT and not row.anew
                wanted = row.change in SPEAKS or (row.change == "still violated" and row.after.property in of_claims)
                if wanted and row.after.trace is not None and not cut:
                    of_kind = found.setdefault((row.after.property, row.change), {})
                    if len(of_kind) < RUNS_OF_A_KIND:
                        of_kind.setdefault(row.after.trace.actions, evolve(row, further=True))
        return Seen(run, one.alike.asked, not one.alike.so_far)

    looked = look(task.system, judged, see, further, changed)
    return looked, [row for of_kind in found.values() for row in of_kind.values()], failure


def effects_of(task: Task, searched: Mapping[Any, OneScope]) -> list[Effect]:
    """What else differs, over the states that each scope reaches without the fix, and where no scope leads.

    `searched`: by scope what was asked there. Raises RuleError if the fix fails where it is
    asked alone. If it fails in a state that only the release may reach, that is an effect.
    """
    system, scopes, errors = task.system, task.effects_in, NewErrors()
    old, new = task.rules
    if not scopes:
        return []

    def reached(scope: Any) -> Reached:
        one = searched.get(scope)
        if one is None:
            one = OneScope(question(system, task.release, "explicit", fix=task.fix, scope=scope), old, shares=False)
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
