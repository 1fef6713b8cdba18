"""Runs of scheduling in Z3: the formulas against the machine, and counterexamples as long as the explicit engine's."""

from collections import deque

import pytest
from attrs import evolve
from z3 import And, Bool, Not, Solver, unsat

from kubeproof.engines import explicit, smt
from kubeproof.verdict.result import Outcome
from model.machine import Action
from model.releases import parse_release, rules_for
from model.scheduler import extender
from model.systems.scheduling import Scheduling, SchedulingMachine, SchedulingRules, SchedulingScope
from properties.property import Invariant, Property, StepInvariant
from properties.scheduling.catalogue import PROPERTIES
from properties.scheduling.nominations import NOMINATED_IS_PENDING
from properties.scheduling.pods import ASSUMED_NOT_SCHEDULED, BINDS_ONCE, NO_FAILURE_OF_BOUND, ONE_ATTEMPT, ONE_PLACE
from properties.smt.form import Cells, SmtForm
from properties.smt.scheduling.one_pod import WATCH
from properties.smt.scheduling.one_pod_steps import Steps
from properties.smt.scheduling.system import encode
from tests.agreement.columns import Columns, Literals

REPORTED = SchedulingScope(pods=1, nodes=2, extender=1, preemption=1)
# One release for each set of rules that these scopes can tell apart.
SMALL = [
    ("1.17.10", evolve(REPORTED, nodes=1)),
    ("1.17.10", evolve(REPORTED, extender=0)),
    ("1.17.10", evolve(REPORTED, preemption=0)),
    ("1.18.4", REPORTED),
    ("1.19.0", evolve(REPORTED, room=2)),
    ("1.21.4", REPORTED),
    ("1.21.12", evolve(REPORTED, preemption=0)),
    ("1.22.3", REPORTED),
    ("1.23.3", evolve(REPORTED, nodes=3)),
    ("1.24.0", REPORTED),
    ("1.28.6", evolve(REPORTED, nodes=1)),
]
LARGE = [
    ("1.17.10", evolve(REPORTED, preemption=0, goroutines=3)),
    ("1.14.10", REPORTED),
    ("1.15.0", REPORTED),
    ("1.16.11", REPORTED),
    ("1.17.0", REPORTED),
    ("1.17.10", REPORTED),
    ("1.17.10", evolve(REPORTED, nodes=1, room=2, goroutines=3)),
]
EXTENDERS = (extender.filter_error_when_allocated, extender.filter_keeps_all, extender.filter_rejects_all)


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, parse_release(release))


def form_of(machine: SchedulingMachine) -> SmtForm:
    form = encode(machine.scope, machine.rules)
    assert isinstance(form, SmtForm)
    assert form.actions
    return form


def reachable(machine: SchedulingMachine) -> list[Scheduling]:
    queue = deque(machine.initial_states())
    seen = dict.fromkeys(queue)
    while queue:
        state = queue.popleft()
        for action in machine.actions(state):
            after = machine.step(state, action)
            if after not in seen:
                seen[after] = None
                queue.append(after)
    return list(seen)


def column(bits: list[bool]) -> int:
    """Bit r of the int is value r."""
    return int("".join("1" if bit else "0" for bit in bits)[::-1] or "0", 2)


def columns(cells: Cells, rows: list[tuple[bool, ...]]) -> dict[object, int]:
    return dict(zip(cells, (column(list(each)) for each in zip(*rows, strict=True)), strict=True))


def agree(machine: SchedulingMachine) -> int:
    """Compare the formulas with the machine on every reachable step; returns how many there are.

    Together with `test_the_successor_is_one`: in each state the formulas enable what the machine enables, and each
    action leads to its successor's view and to no other.
    """
    form, states = form_of(machine), reachable(machine)
    assert max(len(state.pod_watch) for state in states) < WATCH
    before, after = form.cells("0"), form.cells("1")
    taken = tuple(Bool(f"a{i}") for i in range(len(form.actions)))
    literals = Literals(before)
    bits = {state: literals.read(form.pin(before, state)) for state in states}
    alone = Columns(columns(before, list(bits.values())), len(states))  # type: ignore[arg-type]
    for i, action in enumerate(form.actions):
        odd = alone.of(form.enabled(before, i)) ^ column([action in set(machine.actions(s)) for s in states])
        assert not odd, f"{action} is enabled in one of the two only: {states[lowest(odd)]}"
    offered = {action for state in states for action in machine.actions(state)}
    assert offered <= set(form.actions)

    steps = [(s, a, machine.step(s, a)) for s in states for a in machine.actions(s)]
    rows = columns(before, [bits[s] for s, _, _ in steps]) | columns(after, [bits[t] for _, _, t in steps])
    rows |= {bit: column([a == action for _, a, _ in steps]) for bit, action in zip(taken, form.actions, strict=True)}
    stepwise = Columns(rows, len(steps))  # type: ignore[arg-type]
    odd = stepwise.every ^ stepwise.of(form.transition(before, taken, after))
    assert not odd, f"another successor in the formulas: {steps[lowest(odd)]}"
    for p in PROPERTIES:
        if p.name in form.violations:
            same_verdicts(p, form, alone, stepwise, states, steps, (before, taken, after))
    return len(steps)


def same_verdicts(
    p: Property,
    form: SmtForm,
    alone: Columns,
    stepwise: Columns,
    states: list[Scheduling],
    steps: list[tuple[Scheduling, Action, Scheduling]],
    cells: tuple[Cells, Cells, Cells],
) -> None:
    """The formulas of `p` and its Python predicates."""
    if isinstance(p, Invariant):
        assert alone.of(form.violations[p.name](cells[0])) == column([not p.holds(s) for s in states]), p.name
        assert alone.of(form.premises[p.name](cells[0])) == column([p.premise(s) for s in states]), p.name
        return
    assert isinstance(p, StepInvariant)
    broken = column([a.name in p.actions and not p.holds(s, a, t) for s, a, t in steps])
    assert stepwise.of(form.violations[p.name](*cells)) == broken, p.name
    spoken_of = column([a.name in p.actions and p.premise(s, a, t) for s, a, t in steps])
    assert stepwise.of(form.premises[p.name](*cells)) == spoken_of, p.name


def lowest(bits: int) -> int:
    """The number of the first row in a column."""
    return (bits & -bits).bit_length() - 1


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_the_formulas_say_what_the_machine_does(release: str, scope: SchedulingScope) -> None:
    assert agree(SchedulingMachine(scope, rules_of(release))) > 5


@pytest.mark.parametrize("extender_filter", EXTENDERS, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("release", ["1.17.10", "1.21.4", "1.23.3"])
def test_with_other_extenders_too(release: str, extender_filter: extender.ExtenderFilter) -> None:
    rules = evolve(rules_of(release), extender_filter=extender_filter)
    assert agree(SchedulingMachine(evolve(REPORTED, nodes=1, goroutines=1), rules)) > 5


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), LARGE)
def test_the_formulas_say_what_the_machine_does_in_larger_scopes(release: str, scope: SchedulingScope) -> None:
    assert agree(SchedulingMachine(scope, rules_of(release))) > 200


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.17.10", "1.21.4"])
def test_the_successor_is_one(release: str) -> None:
    """From any bits whatever, reachable or not, an action has one successor."""
    form = form_of(SchedulingMachine(REPORTED, rules_of(release)))
    before, one, other = form.cells("0"), form.cells("1"), form.cells("2")
    taken = tuple(Bool(f"a{i}") for i in range(len(form.actions)))
    solver = Solver()
    solver.add(form.transition(before, taken, one), form.transition(before, taken, other))
    solver.add(Not(And(*(a == b for a, b in zip(one, other, strict=True)))))
    assert solver.check() == unsat


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "actions"),
    [
        ("1.17.10", {NOMINATED_IS_PENDING: 17, ASSUMED_NOT_SCHEDULED: 8, NO_FAILURE_OF_BOUND: 10}),
        ("1.14.10", {NOMINATED_IS_PENDING: 17}),
        ("1.18.4", {NO_FAILURE_OF_BOUND: 12}),
        ("1.21.4", {NO_FAILURE_OF_BOUND: 13}),
        ("1.22.3", {ONE_PLACE: 5, ONE_ATTEMPT: 7}),
    ],
)
def test_counterexamples_are_as_long_as_the_explicit_engines(release: str, actions: dict[Property, int]) -> None:
    """NOM-EXT-LEAK, with skipPodSchedule (1.18) and without, and what else comes of the pod scheduled twice."""
    machine = SchedulingMachine(REPORTED, rules_of(release))
    explored = explicit.check(machine, list(actions))
    found = smt.check(machine, form_of(machine), list(actions), depth=max(actions.values()), timeout=120)
    for result, shortest, length in zip(found, explored, actions.values(), strict=True):
        assert result.outcome is Outcome.VIOLATED, result.reason
        assert result.trace is not None
        assert shortest.trace is not None
        assert len(result.trace.actions) == len(shortest.trace.actions) == length


@pytest.mark.slow
def test_where_the_nominator_refuses_bound_pods_no_run_leaves_a_nomination() -> None:
    """The rules of 1.17.10 and one of 1.21.12's: bounded here, for any number of pods by the proof."""
    rules = evolve(rules_of("1.17.10"), nominator_add=rules_of("1.21.12").nominator_add)
    machine = SchedulingMachine(REPORTED, rules)
    form = form_of(machine)
    bounded = smt.check(machine, form, [NOMINATED_IS_PENDING, BINDS_ONCE], depth=17, timeout=300)
    assert [r.outcome for r in bounded] == [Outcome.HOLDS] * 2
    proved = smt.check_inductive(form, [NOMINATED_IS_PENDING, BINDS_ONCE])
    assert [r.outcome for r in proved] == [Outcome.HOLDS] * 2


@pytest.mark.slow
def test_a_formula_that_accuses_wrongly_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the formula nothing is skipped, in the machine an assumed pod is."""
    monkeypatch.setattr(Steps, "_is_skipped", lambda steps, v, pod: False)
    machine = SchedulingMachine(REPORTED, rules_of("1.21.4"))
    with pytest.raises(smt.EncodingError):
        smt.check(machine, form_of(machine), [ASSUMED_NOT_SCHEDULED], depth=8, timeout=120)


@pytest.mark.parametrize(
    ("scope", "release", "said"),
    [
        (evolve(REPORTED, pods=2), "1.24.0", "one pod"),
        (evolve(REPORTED, updates=1), "1.24.0", "updates"),
        (evolve(REPORTED, nodes=4), "1.24.0", "nodes"),
        (REPORTED, "1.31.13", "for runs"),
    ],
)
def test_where_there_are_only_proofs_the_reason_is_said(scope: SchedulingScope, release: str, said: str) -> None:
    form = encode(scope, rules_of(release))
    assert isinstance(form, SmtForm)
    assert not form.actions
    assert len(form.proofs) == 4
    assert set(form.unsupported) == {p.name for p in PROPERTIES}
    assert said in form.unsupported[NOMINATED_IS_PENDING.name]
