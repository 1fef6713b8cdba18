"""Preemption: what its rules do differently, on the smallest case that shows the difference."""

from typing import Any

import pytest
from attrs import evolve

from model.go.errors import GoError
from model.objects import NAMESPACE
from model.releases import parse_release, rules_for
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.candidates import select_candidate
from model.scheduler.preemption.importance import by_importance, more_important_pod
from model.scheduler.preemption.node_resources_fit import fits_request
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.preempt import CLEAR, MinCandidates, Preempted, PreemptionRules, preempt
from model.scheduler.preemption.victims import select_victims_on_node, with_nominated_pods

APP = (("app", "a"),)
PREEMPTOR = PreemptionPod("p", priority=10, cpu_milli=2)


def rules(release: str) -> PreemptionRules:
    return rules_for(PreemptionRules, parse_release(release))


def pod(name: str, priority: int = 0, cpu: int = 1, **fields: Any) -> PreemptionPod:
    return PreemptionPod(name, priority, cpu, **fields)


def node(name: str, *pods: PreemptionPod, cpu: int = 2) -> PreemptionNode:
    return PreemptionNode(name, cpu, 110, pods)


def budget(name: str, allowed: int, *disrupted: str) -> PodDisruptionBudget:
    return PodDisruptionBudget(name, NAMESPACE, APP, allowed, frozenset(disrupted))


def violations(release: str, *budgets: PodDisruptionBudget) -> int:
    """How many violations are counted if two pods of the budgets' app have to go."""
    full = node("n", pod("v1", labels=APP), pod("v2", labels=APP))
    found = select_victims_on_node(rules(release), fits_request, PREEMPTOR, full, budgets)
    assert isinstance(found, Victims)
    assert len(found.pods) == 2
    return found.num_pdb_violations


@pytest.mark.parametrize(("release", "counted"), [("1.17.10", 0), ("1.18.0", 1), ("1.19.0", 1), ("1.31.13", 1)])
def test_a_budget_for_one_is_violated_by_the_second_victim(release: str, counted: int) -> None:
    assert violations(release, budget("b", 1)) == counted


@pytest.mark.parametrize(("release", "counted"), [("1.18.0", 1), ("1.19.0", 0)])
def test_a_pod_that_the_api_server_has_counted_takes_nothing_from_the_budget(release: str, counted: int) -> None:
    assert violations(release, budget("b", 1, "v1")) == counted


@pytest.mark.parametrize(("release", "counted"), [("1.18.0", 2), ("1.19.0", 2)])
def test_each_budget_of_a_pod_counts(release: str, counted: int) -> None:
    # Up to 1.18 a budget behind a violated one loses nothing, which a third victim would show.
    assert violations(release, budget("b", 0), budget("c", 1)) == counted


@pytest.mark.parametrize(("release", "goes"), [("1.14.10", "old"), ("1.15.3", "new")])
def test_since_1_15_the_pod_that_runs_longer_stays(release: str, goes: str) -> None:
    full = node("n", pod("new", start_time=2), pod("old", start_time=1))
    found = select_victims_on_node(rules(release), fits_request, evolve(PREEMPTOR, cpu_milli=1), full, ())
    assert isinstance(found, Victims)
    assert [victim.name for victim in found.pods] == [goes]


def mixed_victims(release: str) -> list[str]:
    """A protected pod of low priority and another of high priority, which both have to go."""
    full = node("n", pod("high", 5), pod("low", 1, labels=APP))
    found = select_victims_on_node(rules(release), fits_request, PREEMPTOR, full, (budget("b", 0),))
    assert isinstance(found, Victims)
    return [victim.name for victim in found.pods]


@pytest.mark.parametrize(
    ("release", "order"),
    [
        ("1.17.10", ["low", "high"]),
        ("1.29.9", ["low", "high"]),
        ("1.29.11", ["high", "low"]),
        ("1.30.6", ["low", "high"]),
        ("1.31.2", ["low", "high"]),
        ("1.31.3", ["high", "low"]),
    ],
)
def test_victims_are_sorted_again_after_the_budgets(release: str, order: list[str]) -> None:
    assert mixed_victims(release) == order


def test_who_is_not_sorted_hides_how_important_the_victims_are() -> None:
    # The node n has a victim of priority 5 and one of 1; m has one of 3. Each violates one budget.
    unsorted = Victims((pod("low", 1), pod("high", 5)), 1)
    found = select_candidate(rules("1.28.14"), {"n": unsorted, "m": Victims((pod("mid", 3),), 1)})
    assert found == ("n",)
    again = Victims((pod("high", 5), pod("low", 1)), 1)
    assert select_candidate(rules("1.31.13"), {"n": again, "m": Victims((pod("mid", 3),), 1)}) == ("m",)


@pytest.mark.parametrize(
    ("release", "picked"),
    [
        ("1.14.10", ("n", "m")),
        ("1.15.0", ("m",)),
        ("1.31.13", ("m",)),
    ],
)
def test_start_times_decide_last(release: str, picked: tuple[str, ...]) -> None:
    candidates = {"n": Victims((pod("v", 1, start_time=1),), 0), "m": Victims((pod("w", 1, start_time=2),), 0)}
    assert select_candidate(rules(release), candidates) == picked


@pytest.mark.parametrize("release", ["1.17.10", "1.19.0", "1.31.13"])
def test_each_criterion_before_the_start_times(release: str) -> None:
    asked = rules(release)
    one = Victims((pod("v", 1, start_time=1),), 0)
    assert select_candidate(asked, {"n": one, "m": Victims((pod("w", 1, start_time=9),), 1)}) == ("n",)
    assert select_candidate(asked, {"n": one, "m": Victims((pod("w", 2, start_time=9),), 0)}) == ("n",)
    two = Victims((pod("w", 1, start_time=9), pod("x", 0, start_time=9)), 0)
    assert select_candidate(asked, {"n": one, "m": two}) == ("n",)
    assert select_candidate(asked, {}) == ()


def test_a_node_without_victims() -> None:
    free, other = Victims((), 0), Victims((pod("v", 1),), 0)
    assert select_candidate(rules("1.17.10"), {"n": other, "m": free}) == ("m",)
    for release in ("1.19.0", "1.31.13"):
        found = select_candidate(rules(release), {"n": other, "m": free})
        assert isinstance(found, GoError)
        assert found.panic
        assert select_candidate(rules(release), {"m": free}) == ("m",)


def test_more_violations_than_an_int32_has() -> None:
    many = {"n": Victims((pod("v", 1),), 2**31), "m": Victims((pod("w", 1),), 2**31 + 1)}
    assert isinstance(select_candidate(rules("1.26.15"), many), GoError)
    assert select_candidate(rules("1.27.0"), many) == ("n",)


def test_two_pods_that_were_not_started_are_each_more_important_than_the_other() -> None:
    one, other = pod("a"), pod("b")
    assert more_important_pod(one, other)
    assert more_important_pod(other, one)
    assert by_importance((one, other)) == (other, one)


def test_a_nominated_pod_takes_room_if_it_is_as_important() -> None:
    empty = node("n")
    for priority, ok in ((10, False), (9, True)):
        nominated = with_nominated_pods(fits_request, (pod("q", priority),))
        assert nominated(PREEMPTOR, empty).ok is ok
    assert with_nominated_pods(fits_request, (pod("p", 10),))(PREEMPTOR, empty).ok


def test_both_passes_have_to_succeed() -> None:
    # A filter that wants company passes with the nominated pod, and fails without.
    def wants_company(pod: PreemptionPod, node: PreemptionNode) -> Status:
        return Status() if node.pods else Status(Code.UNSCHEDULABLE, ("alone",))

    assert not with_nominated_pods(wants_company, (pod("q", 10),))(PREEMPTOR, node("n")).ok


def answers(release: str, *nodes: PreemptionNode, enough: int = 100, **fields: Any) -> tuple[Preempted | GoError, ...]:
    preemptor = PreemptionPod("p", priority=10, cpu_milli=2, **fields)
    statuses = {each.name: fits_request(preemptor, each) for each in nodes}
    failed = {name: status for name, status in statuses.items() if not status.ok}
    return preempt(rules(release), fits_request, preemptor, nodes, failed, (), MinCandidates(0, enough))


def test_who_may_not_preempt() -> None:
    full = node("n", pod("v", cpu=2))
    assert answers("1.17.10", full, preempts_never=True) == (Preempted(Status()),)
    assert answers("1.19.0", full, preempts_never=True) == (Preempted(Status(Code.UNSCHEDULABLE)),)
    (found,) = answers("1.31.13", full, preempts_never=True)
    assert isinstance(found, Preempted)
    assert found.status.message == "preemption: not eligible due to preemptionPolicy=Never."


@pytest.mark.parametrize(("release", "waits"), [("1.26.15", True), ("1.27.0", False)])
def test_only_a_victim_of_a_preemption_is_waited_for(release: str, waits: bool) -> None:
    full = node("n", pod("v", cpu=2, terminating=True))
    (found,) = answers(release, full, nominated_node_name="n")
    assert isinstance(found, Preempted)
    assert (found.victims == ()) is waits
    (found,) = answers(release, node("n", pod("v", cpu=2, terminating=True, disruption_target=True)),
                       nominated_node_name="n")  # fmt: skip
    assert isinstance(found, Preempted)
    assert found.victims == ()


def test_a_node_where_the_pod_fits_is_no_candidate_any_more() -> None:
    # The pod fits on n, which an extender has refused: the filters gave it no status.
    assert answers("1.17.10", node("n")) == (Preempted(Status(), "n"),)
    (found,) = answers("1.28.10", node("n", pod("v", cpu=0)))
    assert isinstance(found, Preempted)
    assert found.status == Status(Code.ERROR, ('expected at least one victim pod on node "n"',))
    (found,) = answers("1.28.11", node("n", pod("v", cpu=0)))
    assert isinstance(found, Preempted)
    assert (found.status.code, found.nominated) == (Code.UNSCHEDULABLE, CLEAR)


def test_who_finds_no_candidate_loses_the_nomination_from_1_23_2_on() -> None:
    for release, nominated in (("1.22.0", None), ("1.23.2", CLEAR)):
        (found,) = answers(release, node("n", pod("v", 20, 2)))
        assert isinstance(found, Preempted)
        assert found.nominated == nominated


def test_enough_candidates_end_the_search_wherever_it_began() -> None:
    nodes = [node(f"n{i}", pod(f"v{i}", i, 2, start_time=1)) for i in range(3)]
    assert answers("1.19.0", *nodes, enough=1) == (Preempted(Status(), "n0", ("v0",)),)
    found = answers("1.20.0", *nodes, enough=1)
    assert {each.nominated for each in found if isinstance(each, Preempted)} == {"n0", "n1", "n2"}


@pytest.mark.parametrize(
    ("release", "error"),
    [("1.17.10", "no nodes available to schedule pods"), ("1.20.15", "no nodes available to schedule pods"),
     ("1.21.0", "no nodes available")],
)  # fmt: skip
def test_without_nodes_preemption_fails_and_leaves_the_nomination(release: str, error: str) -> None:
    assert answers(release, nominated_node_name="n") == (GoError(error),)


def test_of_a_node_that_failed_with_an_error_nothing_is_said() -> None:
    failed = {"n1": Status(Code.ERROR, ("broken",)), "n2": Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("never",))}
    nodes = node("n1"), node("n2")
    (found,) = preempt(rules("1.31.13"), fits_request, PREEMPTOR, nodes, failed, (), MinCandidates())
    assert isinstance(found, Preempted)
    assert "0/1 nodes are available: 1 Preemption is not helpful" in found.status.message
