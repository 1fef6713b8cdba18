"""Runs of queueing-hints in Z3: formulas against the machine, counterexamples as long as the explicit engine's."""

from collections import deque

import pytest
from attrs import evolve
from z3 import And, Bool, Not, Solver, unsat

from kubeproof.engines import explicit, smt
from kubeproof.systems.queueing_hints.scopes import SCOPES
from kubeproof.verdict.result import Outcome
from model.machine import Action
from model.releases import known_release, rules_for
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from properties.property import Invariant, StepInvariant
from properties.queueing_hints.catalogue import PROPERTIES
from properties.smt.form import SmtForm
from properties.smt.parts import flat, names
from properties.smt.queueing_hints.one_pod import ELEMENTS, WATCH, View, view
from properties.smt.queueing_hints.one_pod_steps import Steps
from properties.smt.queueing_hints.system import encode

DEFAULT = SCOPES.default
BINDINGS = QueueingHintsScope(pods=1, gate=1, bind_errors=1, lost_replies=1)
DELETED = QueueingHintsScope(
    pods=1, plugins=2, gate=1, changes=2, events=1, uninteresting=1, updates=1, deletes=1, graceful=1, errors=1,
    unknown_profiles=1,
)  # fmt: skip
GENERATIONS = [
    "1.28.0-beta.0",
    "1.28.0",
    "1.28.3",
    "1.29.14",
    "1.30.14",
    "1.31.0-alpha.2",
    "1.31.13",
    "1.32.0",
    "1.34.1",
]


def machine_of(release: str, scope: QueueingHintsScope) -> QueueingHintsMachine:
    return QueueingHintsMachine(scope, rules_for(QueueingHintsRules, known_release(release)))


def form_of(machine: QueueingHintsMachine) -> SmtForm:
    form = encode(machine.scope, machine.rules)
    assert isinstance(form, SmtForm)
    assert form.actions
    return form


def compare(release: str, scope: QueueingHintsScope, states: int) -> int:
    """Take every step from the first so many states both ways; returns how many steps there are.

    And each property's formulas say what its Python predicates say.
    """
    machine = machine_of(release, scope)
    steps, form = Steps(scope, machine.rules), form_of(machine)

    def seen_as(state: QueueingHints) -> View:
        return view(scope, steps.kinds, steps.awaited, state)

    queue, compared = deque(machine.initial_states()), 0
    seen = set(queue)
    while queue and len(seen) < states:
        state = queue.popleft()
        here, every = seen_as(state), steps.every
        assert {action for action, (may, _) in every.items() if may(here) is True} == set(machine.actions(state))
        for action in machine.actions(state):
            after = machine.step(state, action)
            there = seen_as(after)
            assert len(after.pod_watch) < WATCH
            assert len(after.queue.in_flight_events) < ELEMENTS
            leads = every[action][1](here)
            odd = [name for name, a, b in zip(names(there), flat(leads), flat(there), strict=True) if a != b]
            assert not odd, f"{release}: {action} leads to other {odd} from {state}"
            compared += 1
            says_the_same(form, machine, (state, action, after), (here, there))
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return compared


def says_the_same(
    form: SmtForm,
    machine: QueueingHintsMachine,
    step: tuple[QueueingHints, Action, QueueingHints],
    views: tuple[View, View],
) -> None:
    before, after = (tuple(flat(each)) for each in views)
    taken = tuple(action == step[1] for action in form.actions)
    for p in PROPERTIES:
        if p.name not in form.violations:
            continue
        asked = p.of(machine)
        violation, premise = form.violations[p.name], form.premises[p.name]
        if isinstance(asked, Invariant):
            said = (not asked.holds(step[2]), asked.premise(step[2]))
            found = (violation(after), premise(after))
        else:
            assert isinstance(asked, StepInvariant)
            spoken = step[1].name in asked.actions
            said = (spoken and not asked.holds(*step), spoken and asked.premise(*step))
            found = (violation(before, taken, after), premise(before, taken, after))
        assert tuple(map(str, found)) == tuple(map(str, said)), (p.name, step)


# The rules of 1.28.0 are those of 1.28.0-beta.0 but for the two of the failure handler.
@pytest.mark.slow
@pytest.mark.parametrize("release", [release for release in GENERATIONS if release != "1.28.0"])
def test_the_formulas_say_what_the_machine_does(release: str) -> None:
    assert compare(release, DEFAULT, 100) > 50
    assert compare(release, BINDINGS, 50) > 25
    assert compare(release, DELETED, 60) > 60


@pytest.mark.slow
@pytest.mark.parametrize("release", GENERATIONS)
@pytest.mark.parametrize("scope", [DEFAULT, BINDINGS, DELETED])
def test_the_formulas_say_what_the_machine_does_in_many_states(release: str, scope: QueueingHintsScope) -> None:
    # In 1.28.0-beta.0 nobody wakes Pop for a pod whose binding failed, so that there are few steps in all.
    assert compare(release, scope, 2_000) > (35 if (release, scope) == ("1.28.0-beta.0", BINDINGS) else 200)


@pytest.mark.slow
def test_the_transition_is_that_of_the_steps() -> None:
    """From the state before, by the action, to the state after, and to no other."""
    machine = machine_of("1.28.3", DEFAULT)
    form, (state,) = form_of(machine), machine.initial_states()
    before, after = form.cells("0"), form.cells("1")
    taken = tuple(Bool(f"a{i}") for i in range(len(form.actions)))
    solver = Solver()
    solver.add(form.transition(before, taken, after))
    taken_steps = 0
    while (action := next(reversed(list(machine.actions(state))), None)) is not None:
        there = machine.step(state, action)
        by = And(*(bit if action == each else Not(bit) for bit, each in zip(taken, form.actions, strict=True)))
        solver.push()
        solver.add(form.pin(before, state), by)
        assert solver.check() != unsat
        solver.add(Not(form.pin(after, there)))
        assert solver.check() == unsat
        solver.pop()
        state, taken_steps = there, taken_steps + 1
    assert taken_steps > 8


def same_lengths(release: str, scope: QueueingHintsScope, depth: int = 12) -> dict[str, int]:
    """The length of each violating run that Z3 finds; asserts that the explicit engine finds the same outcomes."""
    machine = machine_of(release, scope)
    form = form_of(machine)
    properties = [p for p in PROPERTIES if p.name in form.violations]
    found = smt.check(machine, form, properties, depth=depth, timeout=120)
    lengths = {}
    for result, shortest in zip(found, explicit.check(machine, properties), strict=True):
        length = len(shortest.trace.actions) if shortest.trace is not None else None
        if length is None or length > depth:
            assert result.outcome is not Outcome.VIOLATED, result.property
            assert result.outcome is Outcome.HOLDS or shortest.outcome is Outcome.INCONCLUSIVE
        else:
            assert result.outcome is Outcome.VIOLATED, f"{result.property}: {result.reason}"
            assert result.trace is not None
            assert len(result.trace.actions) == length
            lengths[result.property] = length
    return lengths


ELEMENT, ENDS, SINCE, NOTHING, BEGINS, RETAINED, BEFORE_BIND = (
    "one-element-for-each-pod", "in-flight-while-scheduled", "scheduled-while-in-flight",
    "nothing-in-flight-nothing-retained", "list-begins-with-a-pod-in-flight", "retains-what-a-running-cycle-needs",
    "done-before-bind",
)  # fmt: skip
LEAKS = {ENDS: 12, SINCE: 11, NOTHING: 11, RETAINED: 11, BEFORE_BIND: 7}
LEAKS_SKIPPED = {ENDS: 6, RETAINED: 4, BEFORE_BIND: 6}
SMALL = QueueingHintsScope(pods=1, gate=1, bind_errors=1)
SKIPPED = QueueingHintsScope(pods=1, gate=1, deletes=1, graceful=1, uninteresting=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "lengths"),
    [
        ("1.28.0-beta.0", SMALL, {RETAINED: 7, BEFORE_BIND: 6}),
        ("1.28.0-beta.0", SKIPPED, {ENDS: 6, RETAINED: 4, BEFORE_BIND: 6}),
        ("1.28.0", DEFAULT, LEAKS),
        ("1.28.3", DEFAULT, {ELEMENT: 9, **LEAKS, BEGINS: 11}),
        ("1.29.14", DEFAULT, {ELEMENT: 9, **LEAKS, BEGINS: 11}),
        ("1.30.14", DEFAULT, {ELEMENT: 9, **LEAKS, BEGINS: 11}),
        ("1.31.13", DEFAULT, {BEFORE_BIND: 7}),
        ("1.32.0", DEFAULT, {}),
        ("1.32.0", SMALL, {}),
        ("1.28.0", SKIPPED, LEAKS_SKIPPED),
        ("1.31.13", SKIPPED, {ENDS: 6, BEFORE_BIND: 6}),
    ],
)
def test_counterexamples_are_as_long_as_the_explicit_engines(
    release: str, scope: QueueingHintsScope, lengths: dict[str, int]
) -> None:
    assert same_lengths(release, scope) == lengths


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope"),
    [
        ("1.31.13", DEFAULT),
        ("1.32.0", SMALL),
        *((release, SKIPPED) for release in ("1.28.3", "1.30.14", "1.31.13", "1.32.0", "1.34.1")),
    ],
)
def test_what_is_proved_holds_for_the_explicit_engine(release: str, scope: QueueingHintsScope) -> None:
    machine = machine_of(release, scope)
    proved = smt.check_inductive(encode(scope, machine.rules), PROPERTIES)
    held = {result.property for result in proved if result.outcome is Outcome.HOLDS}
    assert held
    explored = explicit.check(machine, [p for p in PROPERTIES if p.name in held])
    assert all(result.outcome is not Outcome.VIOLATED for result in explored)


@pytest.mark.slow
def test_a_formula_that_accuses_wrongly_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the formulas Done does nothing, in the machine Done takes the pod out."""
    monkeypatch.setattr(Steps, "_done", lambda steps, v: v)
    machine = machine_of("1.28.3", QueueingHintsScope(pods=1, gate=1))
    with pytest.raises(smt.EncodingError):
        smt.check(machine, form_of(machine), PROPERTIES, depth=8, timeout=60)


@pytest.mark.parametrize(
    ("release", "scope", "said"),
    [
        ("1.28.3", evolve(DEFAULT, pods=2), "one pod"),
        ("1.28.3", evolve(DEFAULT, clock=1), "clock"),
        ("1.28.3", evolve(DEFAULT, deletes=1), "goroutines=1"),
    ],
)
def test_where_there_are_only_proofs_the_reason_is_said(release: str, scope: QueueingHintsScope, said: str) -> None:
    machine = machine_of(release, scope)
    form = encode(scope, machine.rules)
    assert isinstance(form, SmtForm)
    assert not form.actions
    assert len(form.proofs) == 5
    assert all(said in reason for reason in form.unsupported.values())
