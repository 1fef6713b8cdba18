"""queueing-hints in Z3 for any number of pods: what is proved, and counterexamples to induction."""

from typing import cast

import pytest
from attrs import evolve
from z3 import Solver, sat

from kubeproof.engines import smt
from kubeproof.verdict.result import Outcome
from model.systems.queueing_hints import QueueingHintsMachine, QueueingHintsScope
from properties.queueing_hints.catalogue import PROPERTIES
from properties.smt.form import Proof
from properties.smt.queueing_hints import lemmas, numbers
from properties.smt.queueing_hints.counterexample import Counterexample, found
from properties.smt.queueing_hints.lemmas import Lemma
from properties.smt.queueing_hints.proof import OF_COUNTING, OF_THE_LIST, Proofs, proofs_for
from properties.smt.queueing_hints.replay import States, holds, replayed
from properties.smt.queueing_hints.system import encode
from properties.smt.queueing_hints.timeline_steps import UPDATED, Environment
from tests.properties.smt.queueing_hints_runs import MOST, QUIET, explained, rules_of

ELEMENT, ENDS, SINCE, ONCE, NOTHING, BEGINS, RETAINED = (
    "one-element-for-each-pod", "in-flight-while-scheduled", "scheduled-while-in-flight", "one-done-for-each-pop",
    "nothing-in-flight-nothing-retained", "list-begins-with-a-pod-in-flight", "retains-what-a-running-cycle-needs",
)  # fmt: skip
ALL = {ELEMENT, ENDS, SINCE, ONCE, NOTHING, BEGINS, RETAINED}
THE_LIST = {ELEMENT, NOTHING, BEGINS}
# All powers, and all but those that make 1.31 lose its list.
EVERY = evolve(MOST, fine=1, clock=1, flush=1)
NO_RACE = evolve(MOST, recreates=0, graceful=0, unknown_profiles=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "established"),
    [
        ("1.28.0", QUIET, ALL - {ELEMENT, BEGINS, RETAINED}),
        ("1.28.0", evolve(QUIET, updates=1), {ONCE}),
        ("1.28.0-beta.0", EVERY, set()),
        ("1.28.3", QUIET, ALL - {RETAINED}),
        ("1.28.3", evolve(QUIET, updates=1), {ONCE}),
        ("1.28.3", EVERY, {ONCE}),
        ("1.29.14", QUIET, ALL - {RETAINED}),
        ("1.30.14", QUIET, ALL),
        ("1.30.14", evolve(QUIET, unknown_profiles=1), ALL - {ENDS, RETAINED}),
        ("1.30.14", EVERY, {ONCE}),
        ("1.31.13", NO_RACE, ALL),
        ("1.31.13", evolve(NO_RACE, graceful=1), ALL - {ENDS, RETAINED}),
        ("1.31.13", evolve(NO_RACE, fine=1, clock=1), {ONCE}),
        ("1.32.0", EVERY, THE_LIST),
        ("1.32.0", evolve(EVERY, recreates=0), THE_LIST | {ENDS, RETAINED}),
        ("1.32.0", evolve(QUIET, deletes=0), ALL),
        # What is created again is left alone (#138324): under all powers only a binding that fails after its Done.
        ("1.36.3", EVERY, ALL - {SINCE, ONCE}),
        ("1.36.3", evolve(QUIET, deletes=0), ALL),
    ],
)
def test_what_is_proved_of_each_generation(release: str, scope: QueueingHintsScope, established: set[str]) -> None:
    """For any number of pods and a list of any length."""
    form = encode(scope, rules_of(release))
    results = smt.check_inductive(form, PROPERTIES)
    # In 1.28.0 no list has pods.
    spoken_of = ALL - {ELEMENT, BEGINS} if release.startswith("1.28.0") else ALL
    assert {r.property for r in results} == spoken_of
    assert {r.property for r in results if r.outcome is Outcome.HOLDS} == established
    for result in results:
        if result.outcome is not Outcome.HOLDS:
            assert "counterexample to induction: the list is" in str(result.reason)
            assert "3 places" in str(result.reason)
            assert "the machine does so by" in str(result.reason)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "breaks"),
    [
        ("1.28.0", evolve(QUIET, updates=1), {UPDATED}),
        ("1.31.13", evolve(NO_RACE, fine=1, clock=1), {UPDATED}),
        ("1.32.0", EVERY, {"a failed pod goes back", "a binding fails"}),
    ],
)
def test_the_machine_takes_the_step_of_each_counterexample_to_induction(
    release: str, scope: QueueingHintsScope, breaks: set[str]
) -> None:
    """From a state of which all lemmas hold to one of which one does not; and the formulas know that step."""
    environment, broken = Environment(rules_of(release), scope), set()
    for proof, (_, said, _) in zip(Proofs(environment).every(), Proofs(environment).said(), strict=True):
        it = counterexample_to(proof, environment, said)
        if it is None or it.step.startswith("an event"):
            continue
        taken = replayed(environment, said, it)
        assert taken is not None, it
        assert all(holds(lemma, taken.before) for lemma in said)
        assert it.broken is not None
        assert not holds(it.broken, taken.after)
        of_grain = evolve(environment, scope=taken.before.machine.scope)
        _, names = explained(of_grain, taken.before, taken.action)
        assert it.step in names
        broken.add(it.step)
    assert broken == breaks


def counterexample_to(proof: Proof, environment: Environment, said: tuple[Lemma, ...]) -> Counterexample | None:
    """The one that the first question of the proof finds."""
    solver, build = Solver(), proof.obligations[0].build
    solver.add(*build())
    asked, *_ = Proofs(environment).asked
    return found(asked, said, build, solver.model()) if solver.check() == sat else None


@pytest.mark.slow
def test_a_step_that_the_machine_does_not_take_is_not_replayed() -> None:
    """1.32.0 calls Done where no profile has the pod: from the same timeline the lemma is kept."""
    old = Environment(rules_of("1.30.14"), evolve(QUIET, unknown_profiles=1))
    proof, (_, said, _) = (list(each)[1] for each in (Proofs(old).every(), Proofs(old).said()))
    it = counterexample_to(proof, old, said)
    assert it is not None
    assert it.step == "no profile has the pod"
    assert replayed(old, said, it) is not None
    assert replayed(evolve(old, rules=evolve(old.rules, done_without_profile=lambda: True)), said, it) is None


def test_a_proof_names_its_lemmas_and_the_powers_that_it_allows() -> None:
    (proof, *_) = proofs_for(QueueingHintsScope(gate=1), rules_of("1.31.13"))
    assert "A pod in a sub-queue is not in flight." in proof.details["lemmas"]
    off = "updates tolerations assigned graceful plugins claims pending errors permits bind_errors lost_replies"
    assert proof.details["powers"] == f"all but {off} deletes recreates unknown_profiles fine"


@pytest.mark.slow
def test_what_holds_with_all_powers_is_said_of_each() -> None:
    proof = proofs_for(evolve(EVERY, deletes=0, fine=0), rules_of("1.31.13"))[3]
    one_by_one = evolve(proof, together=None)
    assert smt.besides(proof) == smt.besides(one_by_one) == "holds with deletes, fine"


@pytest.mark.slow
def test_the_race_of_update_and_pop_needs_an_update() -> None:
    (proof, *_) = proofs_for(QueueingHintsScope(gate=1), rules_of("1.31.13"))
    held = (
        "holds with updates, tolerations, assigned, graceful, plugins, claims, pending, errors, permits, bind_errors, "
        "lost_replies, deletes"
    )
    assert smt.besides(proof) == f"{held}, unknown_profiles, fine; broken by recreates"
    (proof, *_) = proofs_for(QueueingHintsScope(gate=1, updates=1), rules_of("1.31.13"))
    assert smt.besides(proof).endswith("broken by recreates, fine")


@pytest.mark.slow
def test_the_readings_agree_on_a_lemma_that_a_step_breaks() -> None:
    """With so many places a step breaks the lemma; for any number Z3 does not say that all steps keep the lemma."""
    (proof, *_) = proofs_for(evolve(QUIET, updates=1), rules_of("1.28.3"))
    asked = [o for o in proof.obligations if "keeps every lemma" in o.name or "is not in flight" in o.name]
    bounded, any_number = smt.prove(asked, rlimit=20_000_000)
    assert "A pod in a sub-queue is not in flight (the machine does so by deliver_pod" in str(bounded.model)
    assert bounded.outcome is Outcome.VIOLATED
    assert any_number.outcome is not Outcome.HOLDS


@pytest.mark.slow
def test_a_proof_without_its_lemma_stops() -> None:
    """That the list begins with a pod needs more than that: else what is left over stays before the first pod."""
    proofs = Proofs(Environment(rules_of("1.32.0"), EVERY))
    alone = proofs.proof("alone", (lemmas.begins_with_pod,), {NOTHING: ""})
    assert any(answer.outcome is Outcome.VIOLATED for answer in smt.prove(alone.obligations[:2]))


def test_rules_of_two_designs_have_no_form() -> None:
    rules = evolve(rules_of("1.28.0"), forget_done=rules_of("1.28.3").forget_done)
    form = encode(QUIET, rules)
    assert isinstance(form, str)
    assert "are rules of different releases" in form


@pytest.mark.parametrize("release", ["1.28.0", "1.30.14", "1.36.3"])
def test_the_bound_in_numbers_needs_that_only_events_of_interest_are_kept(release: str) -> None:
    rules = evolve(rules_of(release), event_of_interest=rules_of("1.30.14").event_of_interest)
    proofs = Proofs(Environment(rules, QUIET))
    bounded, any_number, _ = proofs.asked
    said = (lemmas.in_flight_is_running, lemmas.queued_is_not_in_flight)
    the_list = OF_THE_LIST if release != "1.28.0" else OF_COUNTING
    for kept, outcome in (((), Outcome.VIOLATED), ((lemmas.kept_is_awaited,), Outcome.HOLDS)):
        asked = numbers.obligations(bounded, any_number, (*the_list, *said, *kept), "", [""])
        assert next(answer.outcome for answer in smt.prove([next(asked)])) is outcome


@pytest.mark.parametrize(
    ("release", "scope", "said"),
    [
        ("1.28.3", evolve(QUIET, gate=2), "gate"),
        ("1.31.13", evolve(QUIET, gate=0), "gate"),
    ],
)
def test_where_there_is_no_form_the_reason_is_said(release: str, scope: QueueingHintsScope, said: str) -> None:
    form = encode(scope, rules_of(release))
    assert isinstance(form, str)
    assert said in form


@pytest.mark.parametrize("release", ["1.31.13", "1.36.2"])
def test_the_midst_of_an_update_is_found_with_two_handlers_and_with_one(release: str) -> None:
    scope = QueueingHintsScope(pods=1, gate=1, updates=1, fine=1, clock=1)
    machine = QueueingHintsMachine(scope, rules_of(release))
    states = States(cast(Environment, None), machine, cast(Counterexample, None), ("p1#1",))
    assert len(list(states._in_midst_of_update("p1#1"))) > 1
