"""Searches of one scope that share steps answer as each would alone."""

from functools import cached_property, partial
from typing import Any, ClassVar

import pytest
from attrs import define, evolve, frozen

from kubeproof.bugs.counterexample import generations
from kubeproof.engines import explicit
from kubeproof.engines.explicit.shared import OneMachine, Shared, Sharing
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.result import Outcome, Result
from model.go.errors import errors_met, met_error
from model.machine import Action
from model.releases import parse_release, rules_for
from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from model.systems.scheduling import SchedulingRules, SchedulingScope
from model.systems.scheduling.machine import SchedulingMachine
from model.which_rule import answer_to, ask, is_in
from properties.property import Invariant, Liveness, SetupInvariant, StepInvariant

KNOWN = rules_of(SCHEDULING.mutants, SCHEDULING.repairs)
SMALL = SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, bind_errors=1)
SMALL_OF_HINTS = QueueingHintsScope(pods=1, goroutines=1, gate=1, updates=1, events=1, bind_errors=1)

FEW = explicit.Limits(states=1_000)


def told(results: list[Result]) -> list[Result]:
    return [result.evolve(seconds=0.0) for result in results]


def search(
    shared: Shared, rules: Any, scope: Any, *, symmetry: bool, system: System = SCHEDULING
) -> tuple[list[Result], Sharing]:
    sharing = shared.search(scope, shared.under(rules), partial(system.machine, scope))
    found = explicit.check(sharing, system.properties, symmetry=symmetry, limits=FEW)
    return told(found), sharing


def alone(rules: Any, scope: Any, *, symmetry: bool, system: System = SCHEDULING) -> list[Result]:
    machine = system.machine(scope, rules)
    return told(explicit.check(machine, system.properties, symmetry=symmetry, limits=FEW))


def agree(scope: Any, every: list[Any], *, symmetry: bool, system: System = SCHEDULING) -> None:
    shared = Shared(KNOWN)
    for rules in every:
        expected = alone(rules, scope, symmetry=symmetry, system=system)
        assert search(shared, rules, scope, symmetry=symmetry, system=system)[0] == expected


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [True, False])
def test_releases_answer_as_each_alone(symmetry: bool) -> None:
    every = [rules_for(SchedulingRules, first) for first, _ in generations(SCHEDULING)][::9]
    agree(SMALL, every, symmetry=symmetry)


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [True, False])
def test_releases_of_queueing_hints_answer_as_each_alone(symmetry: bool) -> None:
    every = [rules_for(QueueingHintsRules, first) for first, _ in generations(QUEUEING_HINTS)]
    agree(SMALL_OF_HINTS, every, symmetry=symmetry, system=QUEUEING_HINTS)


@pytest.mark.slow
def test_one_rule_of_another_release_is_noticed() -> None:
    rules = rules_for(SchedulingRules, parse_release("1.22.3"))
    shared, answers = Shared(KNOWN), []
    others = {f: SCHEDULING.built_in_rules(f).values() for f in SCHEDULING.rule_fields}
    for changed in (rules, *(evolve(rules, **{f: rule}) for f, each in others.items() for rule in each)):
        try:
            expected = alone(changed, SMALL, symmetry=True)
        except (AssertionError, LookupError, TypeError, ValueError):  # the rule does not go with the release's rules
            continue
        assert search(shared, changed, SMALL, symmetry=True)[0] == expected
        answers.append(expected)
    assert len(answers) > 50
    assert sum(answer != answers[0] for answer in answers) > 5


def test_the_same_rules_take_no_step_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, shared = rules_for(SchedulingRules, parse_release("1.31.13")), Shared(KNOWN)
    first, _ = search(shared, rules, SMALL, symmetry=True)
    taken = []
    step = SchedulingMachine.step
    monkeypatch.setattr(SchedulingMachine, "step", lambda self, *args: taken.append(args) or step(self, *args))
    again, sharing = search(shared, rules, SMALL, symmetry=True)
    assert again == first
    # Only runs are taken again, to be shown.
    runs = sum(len(result.trace.actions) for result in again if result.trace)
    assert len(taken) < 40 * runs < sum(result.transitions or 0 for result in again)
    assert sharing.looked_up.fields


def test_no_step_is_shared_with_a_rule_from_outside() -> None:
    rules = rules_for(SchedulingRules, parse_release("1.31.13"))
    outside = evolve(rules, pop_lock=lambda: rules.pop_lock())
    with pytest.raises(ValueError, match="pop_lock is not a known rule"):
        Shared(KNOWN).under(outside)


def test_a_second_search_of_a_machine_takes_no_step_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `check` searches for a liveness property, which names one pod, after the search for the others."""
    rules = rules_for(SchedulingRules, parse_release("1.31.13"))
    machine = SCHEDULING.machine(SchedulingScope(pods=2, nodes=1, goroutines=1), rules)
    taken: list[Any] = []
    step = SchedulingMachine.step
    monkeypatch.setattr(SchedulingMachine, "step", lambda self, *args: taken.append(args) or step(self, *args))

    def searched(one: OneMachine, *fixed: str) -> tuple[int, int]:
        before = len(taken)
        run = explicit.explore(one, symmetry=True, fixed=frozenset(fixed))
        return run.counts.distinct, len(taken) - before

    one = OneMachine(machine)
    orbits, of_orbits = searched(one)
    states, further = searched(one, "p1")
    assert states > orbits
    assert (states, of_orbits + further) == searched(OneMachine(machine), "p1")
    assert searched(one) == (orbits, 0)


# --- a system of one number, to say what is shared -------------------------------------------------------------------


@frozen(slots=False)
class Rules:
    # How much a step adds.
    add: Any
    # The largest number.
    largest: Any
    # What a step logs.
    log: Any


@frozen
class Number:
    value: int = 0
    twice: int = 0


def one() -> int:
    return 1


def two() -> int:
    return 2


def again_two() -> int:
    return 2


def true() -> bool:
    return True


def four() -> int:
    return 4


def quiet() -> None:
    return None


def loud() -> str:
    return "an error"


@define(frozen=True, slots=False)
class Counting:
    rules: Rules

    action_names: ClassVar[tuple[str, ...]] = ("count",)
    symmetric: ClassVar[bool] = True
    cuts: ClassVar[Any] = {}
    sorts: ClassVar[Any] = {}

    named: ClassVar[Any] = {}

    @property
    def offers(self) -> Any:
        return (self.actions,)

    def ends(self, state: Number) -> bool:
        return False

    @cached_property
    def largest(self) -> int:
        return int(self.rules.largest())

    def initial_states(self) -> tuple[Number, ...]:
        return (Number(),)

    def actions(self, state: Number) -> list[Action]:
        return [Action.of("count")] if state.value < self.largest else []

    def step(self, state: Number, action: Action) -> Number:
        met_error("Count", self.rules.log())
        value = state.value + self.rules.add()
        return Number(value, 2 * value)

    def errors(self, state: Number, action: Action) -> Any:
        return errors_met(lambda: self.step(state, action))

    def canonical(self, state: Number, fixed: frozenset[str] = frozenset()) -> Number:
        return state


KNOWN_HERE = (one, two, four, quiet, loud)
SMALL_NUMBER = Invariant(
    name="small",
    sentence="",
    broken_by=(),
    holds=lambda state: state.value < 5,
    premise=lambda state: True,
    explain=lambda state: str(state.value),
)


@pytest.mark.parametrize("symmetry", [True, False])
def test_each_rule_that_a_step_depends_on_counts(symmetry: bool) -> None:
    """`largest` is looked up once, before the first step: all steps depend on it."""
    shared, counts = Shared(KNOWN_HERE), []
    for rules in (Rules(one, two, quiet), Rules(one, four, quiet), Rules(two, four, loud), Rules(two, two, quiet)):
        sharing = shared.search("any", shared.under(rules), Counting)
        (result,) = explicit.check(sharing, [SMALL_NUMBER], symmetry=symmetry)
        counts.append((result.states, result.depth))
        assert sharing.looked_up.fields == {"add", "largest", "log"}
        assert sharing.looked_up.read_by(rules) is not None
        assert sharing.looked_up.read_by(evolve(rules, add=four)) is None
    assert counts == [(3, 2), (5, 4), (3, 2), (2, 1)]


# --- what properties say of a step that is shared ---------------------------------------------------------------------


class Silent(Counting):
    """No step looks up `log`."""

    def step(self, state: Number, action: Action) -> Number:
        value = state.value + self.rules.add()
        return Number(value, 2 * value)


def grows(told: list[int]) -> StepInvariant:
    def premise(before: Number, action: Action, after: Number) -> bool:
        told.append(before.value)
        return True

    return StepInvariant(
        name="grows-by-one",
        sentence="",
        broken_by=(),
        actions=frozenset({"count"}),
        holds=lambda before, action, after: after.value == before.value + 1,
        premise=premise,
        explain=lambda before, action, after: f"{before.value} to {after.value}",
    )


QUIET = SetupInvariant(
    name="quiet",
    sentence="",
    broken_by=(),
    actions=lambda machine: frozenset({"count"}),
    holds=lambda machine, before, action, after: machine.rules.log() is None or after.value < 2,
    premise=lambda machine, before, action, after: True,
    explain=lambda machine, before, action, after: str(after.value),
)
COMES_TO_TWO = Liveness(
    name="comes-to-two",
    sentence="",
    broken_by=(),
    sorts=("number",),
    goal=lambda state, entity: state.value == 2,
    premise=lambda state, entity: True,
    explain=lambda state, entity: str(state.value),
    fair=frozenset({"count"}),
)


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_step_that_is_shared_is_judged_once_and_by_the_rules_of_each_search(
    symmetry: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Silent, "sorts", {"number": ("n1",)})
    shared, found = Shared(KNOWN_HERE), []
    told: list[int] = []
    growing = grows(told)
    for rules in (Rules(one, two, quiet), Rules(one, two, loud), Rules(two, two, quiet), Rules(one, four, quiet)):
        told.clear()
        properties = [SMALL_NUMBER, growing, QUIET, COMES_TO_TWO]
        sharing = shared.search("any", shared.under(rules), Silent)
        results = explicit.check(sharing, properties, symmetry=symmetry)
        found.append((len(told), [r.property for r in results if r.outcome is Outcome.VIOLATED]))
        alone: Any = Silent(rules)
        expected = explicit.check(alone, [SMALL_NUMBER, grows([]), QUIET, COMES_TO_TWO], symmetry=symmetry)
        assert results == [r.evolve(seconds=s.seconds) for r, s in zip(expected, results, strict=True)]
    # The second search asks nothing of the steps again but what its own rules say. All steps depend on `largest`.
    assert found == [(2, []), (0, ["quiet"]), (1, ["grows-by-one"]), (4, ["comes-to-two"])]


# --- the same, where only an answer of a rule counts ------------------------------------------------------------------


@define(frozen=True, slots=False)
class Asking(Counting):
    """The largest number is asked for, and whether numbers go up by `four`; the text is what `add` is asked for."""

    @cached_property
    def largest(self) -> int:
        return int(ask(self.rules, answer_to("largest")))

    def step(self, state: Number, action: Action) -> Number:
        value = state.value + (4 if ask(self.rules, is_in("add", (four,))) else 1)
        return Number(value, ask(self.rules, answer_to("log")))


def of_asking(shared: Shared, rules: Rules, monkeypatch: pytest.MonkeyPatch, symmetry: bool) -> tuple[Result, int]:
    """The result, and how many steps were taken for it."""
    taken = []
    step = Asking.step
    with monkeypatch.context() as patched:
        patched.setattr(Asking, "step", lambda self, *args: taken.append(args) or step(self, *args))
        sharing = shared.search("any", shared.under(rules), Asking)
        (result,) = explicit.check(sharing, [SMALL_NUMBER], symmetry=symmetry)
    assert sharing.looked_up.fields == {"add", "largest", "log"}
    (alone,) = explicit.check(Asking(rules), [SMALL_NUMBER], symmetry=symmetry)  # type: ignore[arg-type]
    assert told([result]) == told([alone])
    return result, len(taken)


@pytest.mark.parametrize("symmetry", [True, False])
def test_rules_that_answer_alike_share_where_only_the_answer_counts(
    symmetry: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Shared((*KNOWN_HERE, again_two, true))
    counts = []
    for rules in (
        Rules(one, two, one),
        Rules(two, again_two, one),  # every answer is the same
        Rules(two, again_two, true),  # 1 equals True, and is another answer
        Rules(four, two, one),
        Rules(one, four, one),
    ):
        result, taken = of_asking(shared, rules, monkeypatch, symmetry)
        counts.append((result.states, taken))
    assert counts == [(3, 2), (3, 0), (3, 2), (2, 1), (5, 4)]


def test_rules_with_other_answers_have_other_explorations() -> None:
    shared = Shared((*KNOWN_HERE, again_two, true))
    sharing = shared.search("any", shared.under(Rules(one, two, one)), Asking)
    explicit.check(sharing, [SMALL_NUMBER])
    read_by = sharing.looked_up.read_by
    assert read_by(Rules(two, again_two, one)) == {"add", "largest", "log"}
    for other in (Rules(one, four, one), Rules(one, two, true), Rules(four, two, one)):
        assert read_by(other) is None
