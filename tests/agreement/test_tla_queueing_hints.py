"""queueing-hints in TLA+ against Python: every property's verdict, and what is left out. Counts: the manifest's."""

import cattrs
import pytest
from attrs import evolve

from kubeproof.check import manifest
from kubeproof.engines import explicit, tlc
from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.engines.tlc.question import Question
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import replay
from model.releases import known_release, rules_for
from model.scheduler.queue import move, scheduling_queue, update
from model.systems.queueing_hints import QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from properties.queueing_hints import backoff, in_flight, progress
from properties.queueing_hints.catalogue import PROPERTIES
from properties.queueing_hints.view import retained
from properties.tla.form import TlaForm
from properties.tla.queueing_hints.operators import CONSTANTS
from properties.tla.queueing_hints.system import SAID, form
from tests.agreement.reduced_form import FORMULAS, reduced
from tests.conftest import ROOT

DEFAULT = QUEUEING_HINTS.scope
BIND_ERRORS = QueueingHintsScope(pods=1, goroutines=2, gate=1, bind_errors=2)
HELD_BACK = QueueingHintsScope(pods=1, gate=1, gates=1, claims=1, pending=1)
RECREATED = QueueingHintsScope(pods=1, plugins=1, gate=1, changes=1, deletes=1, recreates=1)


def rules_of(release: str) -> QueueingHintsRules:
    return rules_for(QueueingHintsRules, known_release(release))


@pytest.fixture
def java() -> None:
    try:
        find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))


needs_java = pytest.mark.usefixtures("java")


def agree(scope, release, *wanted, **changes):
    """What both engines say is violated. Shortest runs are equally long, and TLC's runs replay.

    Where no run meets its premise the explicit engine leaves a property open, and TLC says that it holds.
    """
    machine = QueueingHintsMachine(scope, evolve(rules_of(release), **changes))
    found = tlc.check(machine, form(scope, machine.rules), wanted)
    for ours, theirs in zip(explicit.check(machine, wanted), found, strict=True):
        violated = ours.outcome is Outcome.VIOLATED
        assert theirs.outcome is (Outcome.VIOLATED if violated else Outcome.HOLDS), theirs
        if theirs.trace is not None:
            assert replay(machine, theirs.trace.actions, loop=theirs.trace.loop) == theirs.trace
            assert theirs.trace.loop is not None or (theirs.minimal and theirs.trace.length == ours.trace.length)
    return {result.property for result in found if result.outcome is Outcome.VIOLATED}


def test_every_property_is_stated() -> None:
    stated = form(DEFAULT, rules_of("1.28.3")).properties
    assert {name: p.kind for name, p in stated.items()} == {p.name: p.kind for p in PROPERTIES}


@pytest.mark.slow
@needs_java
def test_the_leak_of_the_report() -> None:
    assert agree(DEFAULT, "1.28.3", in_flight.NOTHING_RETAINED) == {in_flight.NOTHING_RETAINED.name}


@pytest.mark.slow
@needs_java
def test_counts_with_what_no_other_scope_has() -> None:
    scope = QueueingHintsScope(pods=1, plugins=1, gate=2, changes=1, bind_errors=1, permits=1)
    machine = QueueingHintsMachine(scope, rules_of("1.30.14"))
    counts = explicit.explore(machine).counts
    assert tlc.count(form(scope, machine.rules)) == (counts.distinct, counts.generated, counts.depth)


@needs_java
@pytest.mark.slow
def test_counts_where_a_pod_is_forgotten_that_the_cache_does_not_know() -> None:
    """From 1.35 on that is no error, and pods are moved. It matters where another pod is popped meanwhile."""
    scope = QueueingHintsScope(pods=2, goroutines=1, plugins=0, deletes=1, lost_replies=1, stale_binds=1)
    machine = QueueingHintsMachine(scope, rules_of("1.36.2"))
    counts = explicit.explore(machine).counts
    assert tlc.count(form(scope, machine.rules)) == (counts.distinct, counts.generated, counts.depth)


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "violated"),
    [
        (
            "1.28.0-beta.0",
            BIND_ERRORS,
            {
                "retains-what-a-running-cycle-needs", "done-before-bind",
                "active-pod-is-popped", "accepted-pod-is-bound",
            },
        ),
        (
            "1.28.3",
            DEFAULT,
            {
                "one-element-for-each-pod", "in-flight-while-scheduled", "scheduled-while-in-flight",
                "nothing-in-flight-nothing-retained", "list-begins-with-a-pod-in-flight",
                "retains-what-a-running-cycle-needs", "done-before-bind", "pod-in-one-place", "events-are-released",
            },
        ),
        ("1.31.14", DEFAULT, {"done-before-bind"}),
        ("1.32.0", DEFAULT, set()),
        ("1.34.1", evolve(HELD_BACK, clock=1, flush=1), set()),
        (
            "1.32.0",
            BIND_ERRORS,
            {"scheduled-while-in-flight", "one-done-for-each-pop", "done-before-bind", "pod-in-one-place"},
        ),
        ("1.31.0", QueueingHintsScope(pods=1, gate=1, tolerations=1, clock=1), {"done-before-bind"}),
        (
            "1.31.14",
            QueueingHintsScope(pods=1, gate=1, updates=1, clock=1, fine=1),
            {"in-flight-while-scheduled", "done-before-bind", "pod-in-one-place", "events-are-released"},
        ),
        ("1.36.2", QueueingHintsScope(pods=1, gate=1, assigned=1, clock=1, fine=1), {"pod-in-one-place"}),
        ("1.28.3", QueueingHintsScope(pods=1, plugins=3, gate=1, changes=2, pre_check=1), {"pod-in-one-place"}),
        ("1.32.0", QueueingHintsScope(pods=1, gate=1, assigned=2), set()),
        # The scheduler's process ends.
        ("1.36.2", QueueingHintsScope(pods=1, gate=1, deletes=1, recreates=1, relists=1), {"accepted-pod-is-bound"}),
    ],
)  # fmt: skip
def test_all_properties(release: str, scope: QueueingHintsScope, violated: set[str]) -> None:
    assert agree(scope, release, *PROPERTIES) == violated


@needs_java
@pytest.mark.slow
def test_an_update_that_ends_a_backoff() -> None:
    scope = QueueingHintsScope(pods=1, plugins=1, gate=2, changes=1, clock=1)
    ends = {"queue_update": update.update_from_backoff_to_active}
    assert agree(scope, "1.28.3", backoff.IN_TIME, **ends) == {backoff.IN_TIME.name}


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.30.14", "1.32.0"])
def test_a_pod_is_created_again_under_its_name(release: str) -> None:
    wanted = (in_flight.ENDS_WITH_CYCLE, progress.EVENTS_RELEASED)
    assert agree(RECREATED, release, *wanted) == {p.name for p in wanted}


@needs_java
@pytest.mark.slow
def test_a_gated_pod_that_every_move_passes_over() -> None:
    """QUEUE-GATED-SKIP."""
    wanted = (progress.NO_EVENT_LOST, progress.ACCEPTED_IS_BOUND)
    assert agree(HELD_BACK, "1.30.2", *wanted) == {p.name for p in wanted}


# --- runs that never end ---------------------------------------------------------------------------------------------

ENDLESS = QueueingHintsScope(pods=1, plugins=1, gate=1, changes=1, errors=1, unknown_profiles=1, events=2)
# What the formulas say, in the order of FORMULAS. One of them is an invariant in Python.
IN_PYTHON = (progress.EVENTS_RELEASED, progress.ACTIVE_IS_POPPED, progress.ERROR_IS_TRIED)


def violated_formulas(stated: TlaForm) -> set[str]:
    """The formulas that TLC finds violated under fairness; each is asked alone if not all of them hold."""

    def holds(*formulas: str) -> bool:
        answer = ask(stated, Question(invariants=("TypeOK",), properties=formulas, fair=True))
        assert answer.outcome in (Outcome.HOLDS, Outcome.VIOLATED), answer.reason
        return answer.outcome is Outcome.HOLDS

    return set() if holds(*FORMULAS) else {formula for formula in FORMULAS if not holds(formula)}


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.28.3", "1.32.0"])
def test_a_state_that_counts_no_events_without_end_has_the_same_verdicts(release: str) -> None:
    """In a scope with few events, where the states that count them are finitely many too; and with events for ever."""
    machine = QueueingHintsMachine(ENDLESS, rules_of(release))
    found = zip(FORMULAS, explicit.check(machine, IN_PYTHON), strict=True)
    expected = {formula for formula, result in found if result.outcome is Outcome.VIOLATED}
    assert expected == (set(FORMULAS) - {"ActivePodIsPopped"} if release == "1.28.3" else set())
    for endless in (False, True):
        assert violated_formulas(reduced(form(ENDLESS, machine.rules), endless=endless)) == expected


def most_retained(machine: QueueingHintsMachine) -> int:
    """The largest number of events that the queue keeps in any state."""
    seen = set(machine.initial_states())
    level = list(seen)
    while level:
        after = {machine.step(state, action) for state in level for action in machine.actions(state)}
        level = list(after - seen)
        seen |= after
    return max(len(retained(state)) for state in seen)


@needs_java
@pytest.mark.slow
def test_the_number_of_retained_events_saturates_one_above_the_bound() -> None:
    machine = QueueingHintsMachine(ENDLESS, rules_of("1.28.3"))
    most = most_retained(machine)
    assert most > 1
    for bound, endless in ((most, False), (most - 1, False), (most, True)):
        stated = reduced(form(ENDLESS, machine.rules), endless=endless, most_retained=bound)
        outcome = ask(stated, Question(invariants=("RetainsAtMost",))).outcome
        assert outcome is (Outcome.HOLDS if (bound, endless) == (most, False) else Outcome.VIOLATED)


def test_a_state_that_counts_no_events_has_no_bound_on_stale_binds() -> None:
    stated = form(evolve(ENDLESS, stale_binds=1), rules_of("1.32.0"))
    assert stated.reason is None
    assert "stale_binds" in reduced(stated, endless=False).reason


def test_a_list_that_counts_pods_is_not_reduced() -> None:
    assert "1.28.2" in str(reduced(form(ENDLESS, rules_of("1.28.0")), endless=True).reason)
    assert reduced(form(ENDLESS, rules_of("1.28.2")), endless=True).reason is None


# --- what is left out ------------------------------------------------------------------------------------------------


def test_every_bound_has_a_form_but_those_of_further_scopes() -> None:
    assert set(cattrs.unstructure(DEFAULT)) - SAID == {"together", "turned"}
    for bound in ("together", "turned"):
        assert bound in (form(evolve(DEFAULT, **{bound: 1}), rules_of("1.32.0")).reason or "")


@pytest.mark.parametrize("holds_back", ["gates", "claims"])
@pytest.mark.parametrize("twice", ["activations", "listeners", "fine"])
def test_a_pod_in_two_sub_queues_has_no_form(holds_back: str, twice: str) -> None:
    scope = evolve(DEFAULT, pods=2, **{holds_back: 1, twice: 1})
    assert form(scope, rules_of("1.30.14")).reason is None
    assert "one sub-queue" in form(evolve(scope, clock=1), rules_of("1.30.14")).reason


def test_a_pod_that_an_update_brings_to_two_sub_queues_has_no_form() -> None:
    scope = evolve(DEFAULT, tolerations=1, gates=1, relists=1)
    assert form(scope, rules_of("1.32.0")).reason is None
    assert "one sub-queue" in form(evolve(scope, clock=1), rules_of("1.32.0")).reason


@pytest.mark.parametrize(
    "changes",
    [
        {"forget_done": lambda queue, uid: queue},
        {"note_move_request": move.note_by_flag},
        {"active_q_order": scheduling_queue.order_by_priority},
        {"move_pods": lambda *args: args[1]},
    ],
)
def test_rules_without_a_form(changes) -> None:
    assert next(iter(changes)) in form(DEFAULT, evolve(rules_of("1.32.0"), **changes)).reason


@pytest.mark.slow
def test_every_operator_is_counted() -> None:
    """Each rule that the modules have is one of some release from 1.28 on whose states the manifest counts."""
    entries = [e for e in manifest.read_manifest(ROOT / "specs") if e.system == "queueing-hints"]
    counted = {(each.name, each.operators.of(e.scope_and_rules()[1])) for e in entries for each in CONSTANTS}
    # What the modules share with scheduling has rules of older releases too.
    own = CONSTANTS[-17:]
    assert own[0].name == "NotePoppedRule"
    said = {(each.name, operator) for each in own for operator in each.operators.by_rule.values()}
    # A mutant.
    assert said - counted == {("UpdateRule", "UpdateEndingBackoff")}
