"""Preemption in a goroutine, in every order of a small surrounding."""

import pytest
from attrs import evolve

from model.releases import known_release, rules_for
from model.scheduler.preemption import async_preemption, victims
from model.scheduler.preemption.async_preemption import Goroutine, Preempting, begin_last, is_pod_running_preemption
from properties.preemption.async_orders import OrderRules, Scope, is_stuck, preempts_twice, shortest

ONE_DELETED, ONE_WAITS = Scope(1, deletions=1, lag=False), Scope(1, waiting=1, lag=False)
TWO, TWO_WITH_LAG = Scope(2, lag=False), Scope(2)


def rules(release: str) -> OrderRules:
    return rules_for(OrderRules, known_release(release))


def length(release: str, scope: Scope, bad: object) -> int | None:
    run = shortest(rules(release), scope, bad)  # type: ignore[arg-type]
    return None if run is None else len(run)


@pytest.mark.parametrize("release", ["1.33.1", "1.34.1", "1.34.9", "1.35.0", "1.36.2"])
def test_one_victim_that_only_preemption_deletes_is_no_problem(release: str) -> None:
    assert length(release, Scope(1), preempts_twice) is None
    assert length(release, Scope(1), is_stuck) is None


def test_when_a_second_preemption_begins() -> None:
    """#134730 cures the run of the report. A cache that is behind the informer's store brings it again."""
    found = {each: length(each, TWO, preempts_twice) for each in ("1.33.1", "1.34.1", "1.34.9", "1.35.0", "1.36.2")}
    assert found == {"1.33.1": 10, "1.34.1": 10, "1.34.9": 10, "1.35.0": None, "1.36.2": None}
    assert length("1.36.2", TWO_WITH_LAG, preempts_twice) == 17


def test_when_the_preemptor_is_stuck() -> None:
    found = {
        each: (length(each, ONE_DELETED, is_stuck), length(each, ONE_WAITS, is_stuck), length(each, TWO, is_stuck))
        for each in ("1.33.1", "1.34.1", "1.34.9", "1.35.0", "1.36.2")
    }
    assert found == {
        "1.33.1": (None, None, 21),
        "1.34.1": (None, None, None),
        "1.34.9": (None, None, 21),
        "1.35.0": (9, 6, 21),
        "1.36.2": (9, 6, 21),
    }


def test_to_activate_the_preemptor_in_any_case_cures_each_run_of_a_stuck_one() -> None:
    """Not proposed: the pod would be tried once more after each preemption."""
    always = evolve(rules("1.36.2"), activates_preemptor=lambda failed, all_gone: True)
    for scope in (ONE_DELETED, ONE_WAITS, TWO):
        assert shortest(always, scope, is_stuck) is None


def test_the_last_victim_is_left_out_after_a_failure_from_1_36_on() -> None:
    failed = Goroutine((), "v2", frozenset(), failed=True)
    for release, following in (("1.35.0", "last"), ("1.36.2", "end")):
        assert begin_last(rules(release), Preempting(running=True), failed)[1].next == following


def test_a_last_victim_that_is_there_holds_the_preemptor_back() -> None:
    waits = Preempting(running=True, last_victim="v1")
    assert is_pod_running_preemption(waits, lambda victim: True)
    assert not is_pod_running_preemption(waits, lambda victim: False)
    assert is_pod_running_preemption(Preempting(running=True), lambda victim: False)


def test_rows() -> None:
    assert not rules("1.32.13").async_preemption_default()
    assert rules("1.33.0").async_preemption_default()
    assert rules("1.34.1").activates_preemptor is async_preemption.after_a_failure_or_if_all_are_gone
    assert rules("1.34.2").activates_preemptor is async_preemption.after_a_failure
    assert rules("1.34.2").victims_to_delete is victims.all_are_deleted
