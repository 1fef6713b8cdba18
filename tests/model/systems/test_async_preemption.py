"""async-preemption: every order of a small surrounding, as a plain search has it."""

import pytest
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.systems.async_preemption import ASYNC_PREEMPTION
from model.machine import Action
from model.releases import known_release, rules_for
from model.scheduler.preemption import async_preemption, victims
from model.scheduler.preemption.async_preemption import Goroutine, Preempting, begin_last
from model.systems.async_preemption import AsyncPreemptionMachine, AsyncPreemptionScope, AsyncPreemptionSystemRules
from tests.model.systems.plain import plain_counts

REPEATS, STUCK, _ = ASYNC_PREEMPTION.properties
RELEASES = ("1.32.13", "1.33.1", "1.34.1", "1.34.9", "1.35.0", "1.36.2")
ONE, TWO = AsyncPreemptionScope(victims=1), AsyncPreemptionScope(victims=2)


def rules(release: str) -> AsyncPreemptionSystemRules:
    return rules_for(AsyncPreemptionSystemRules, known_release(release))


def lengths(scope: AsyncPreemptionScope, property: object, *releases: str) -> list[int | None]:
    """How long the shortest run is that violates the property, in each release."""
    found = []
    for release in releases or RELEASES:
        (result,) = explicit.check(AsyncPreemptionMachine(scope, rules(release)), [property])  # type: ignore[list-item]
        found.append(result.trace.length if result.trace else None)
    return found


def test_one_victim_that_only_preemption_deletes_is_no_problem() -> None:
    assert lengths(ONE, REPEATS) == lengths(ONE, STUCK) == [None] * 6


@pytest.mark.slow
def test_when_a_second_preemption_begins() -> None:
    """#134730 cures the run of the report, and leaves three others."""
    assert lengths(TWO, REPEATS) == [None, 10, 10, 10, None, None]
    assert lengths(evolve(TWO, lag=1), REPEATS) == [None, 13, 13, 13, 17, 17]
    assert lengths(evolve(TWO, deletions=1), REPEATS) == [None, 9, 8, 9, 10, 10]
    assert lengths(evolve(TWO, waiting=1), REPEATS) == [None, 7, 7, 7, 12, 12]


@pytest.mark.slow
def test_when_the_preemptor_is_stuck() -> None:
    assert lengths(evolve(ONE, deletions=1), STUCK) == [None, None, None, None, 9, 9]
    assert lengths(evolve(ONE, waiting=1), STUCK) == [None, None, None, None, 7, 7]
    assert lengths(TWO, STUCK) == [None, 21, None, 21, 21, 21]
    # #133167 activates the preemptor if all victims were gone. With three victims one of them is not.
    assert lengths(evolve(TWO, victims=3, goroutines=1), STUCK, "1.34.1") == [28]


@pytest.mark.slow
def test_a_gate_that_somebody_sets() -> None:
    switched_on, switched_off = evolve(TWO, asynchronous=1), evolve(TWO, asynchronous=2)
    assert lengths(switched_on, STUCK, "1.32.13") == lengths(switched_on, STUCK, "1.36.2") == [21]
    assert lengths(switched_off, STUCK) == lengths(switched_off, REPEATS) == [None] * 6
    assert ASYNC_PREEMPTION.parse_scope("asynchronous=2").asynchronous == 2


def test_with_the_gate_off_the_cycle_waits_for_its_requests() -> None:
    machine = AsyncPreemptionMachine(ONE, rules("1.32.13"))
    tried = machine.step(machine.initial_states()[0], Action.of("try_preemptor"))
    patch, delete, end = (
        Action.of("patch_victim", goroutine=0, victim="v1"),
        Action.of("delete_victim", goroutine=0, victim="v1"),
        Action.of("end_preemption", goroutine=0),
    )
    assert list(machine.actions(tried)) == [patch]
    deleted = machine.step(machine.step(tried, patch), delete)
    assert Action.of("requeue_preemptor") not in machine.actions(deleted)
    ended = machine.step(deleted, end)
    assert (ended.place, ended.goroutines, ended.preempting) == ("tried", (), Preempting())
    assert Action.of("requeue_preemptor") in machine.actions(ended)


def test_to_activate_the_preemptor_in_any_case_cures_each_run_of_a_stuck_one() -> None:
    """Not proposed: the pod would be tried once more after each preemption."""
    always = evolve(rules("1.36.2"), activates_preemptor=lambda failed, all_gone: True)
    for scope in (evolve(ONE, deletions=1), evolve(ONE, waiting=1), TWO):
        (result,) = explicit.check(AsyncPreemptionMachine(scope, always), [STUCK])
        assert result.trace is None
        assert result.claim is not None


def test_the_last_victim_is_left_out_after_a_failure_from_1_36_on() -> None:
    failed = Goroutine((), "v2", frozenset(), failed=True)
    for release, following in (("1.35.0", "last"), ("1.36.2", "end")):
        assert begin_last(rules(release), Preempting(running=True), failed)[1].next == following


def test_a_last_victim_that_is_there_holds_the_preemptor_back() -> None:
    is_held, before = (rules(release).is_pod_running_preemption for release in ("1.36.2", "1.34.9"))
    waits = Preempting(running=True, last_victim="v1")
    assert is_held(waits, lambda victim: True)
    assert not is_held(waits, lambda victim: False)
    assert is_held(Preempting(running=True), lambda victim: False)
    assert before(waits, lambda victim: False)


def test_a_failed_request_is_an_error_that_is_met() -> None:
    machine = AsyncPreemptionMachine(evolve(ONE, failures=1), rules("1.36.2"))
    state = machine.initial_states()[0]
    for action in (Action.of("try_preemptor"), Action.of("go_on_to_last_victim", goroutine=0)):
        state = machine.step(state, action)
    fails = Action.of("fail_request", goroutine=0, victim="v1")
    assert fails in machine.actions(state)
    assert [error.function for error in machine.errors(state, fails)] == ["PreemptPod"]
    activated = machine.step(machine.step(state, fails), Action.of("end_preemption", goroutine=0))
    assert (activated.place, activated.noted) == ("tried", True)


def test_a_victim_at_permit_is_rejected_without_a_request() -> None:
    machine = AsyncPreemptionMachine(AsyncPreemptionScope(victims=3, waiting=2, failures=1), rules("1.34.1"))
    state = machine.initial_states()[0]

    def offered(victim: str) -> set[str]:
        return {action.name for action in machine.actions(state) if dict(action.args).get("victim") == victim}

    for action in (*(Action.of("hold_at_permit", victim=each) for each in ("v2", "v3")), Action.of("try_preemptor")):
        state = machine.step(state, action)
    assert (offered("v1"), offered("v2")) == ({"patch_victim", "fail_request"}, {"reject_waiting_victim"})
    state = machine.step(state, Action.of("fail_request", goroutine=0, victim="v1"))
    # Those that are asked for side by side may be left out now, but not the last one.
    assert offered("v2") == {"reject_waiting_victim", "fail_request"}
    skipped = Action.of("fail_request", goroutine=0, victim="v2")
    assert machine.errors(state, skipped) == ()
    told = "does not come to v2, since another request has failed"
    assert told in ASYNC_PREEMPTION.sentence(state, skipped, machine.step(state, skipped))
    for action in (skipped, Action.of("go_on_to_last_victim", goroutine=0)):
        state = machine.step(state, action)
    assert offered("v3") == {"reject_waiting_victim"}


def test_more_victims_at_permit_than_victims_are_refused() -> None:
    with pytest.raises(ValueError, match="there are only 1 victims"):
        AsyncPreemptionScope(victims=1, waiting=2)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.32.13", "1.34.1", "1.36.2"])
def test_counts_equal_those_of_a_plain_search(release: str) -> None:
    scope = AsyncPreemptionScope(victims=2, lag=1, deletions=1, waiting=1, failures=1)
    machine = AsyncPreemptionMachine(scope, rules(release))
    counts = explicit.explore(machine).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine)
    assert sum(times > 0 for times in counts.fired.values()) > 10


def test_rows() -> None:
    assert not rules("1.32.13").async_preemption_default()
    assert rules("1.33.0").async_preemption_default()
    assert rules("1.34.1").activates_preemptor is async_preemption.after_a_failure_or_if_all_are_gone
    assert rules("1.34.2").activates_preemptor is async_preemption.after_a_failure
    assert rules("1.34.2").victims_to_delete is victims.all_are_deleted
