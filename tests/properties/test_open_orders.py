"""What Go leaves open when preemption chooses a node: where it changes the answer."""

import pytest

from model.objects import NAMESPACE
from model.releases import parse_release, rules_for
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod
from model.scheduler.preemption.preempt import MinCandidates, PreemptionRules
from properties.preemption.least_sacrifice import PROTECTED, Case, grid_of_two_nodes
from properties.preemption.open_orders import first_cut_search, in_any_order, not_among_equals, order_matters

RELEASES = ("1.17.10", "1.19.0", "1.20.0", "1.31.2", "1.31.13")


def rules(release: str) -> PreemptionRules:
    return rules_for(PreemptionRules, parse_release(release))


@pytest.mark.parametrize("release", RELEASES)
def test_the_order_of_nodes_and_the_beginning_change_nothing_if_all_are_looked_at(release: str) -> None:
    # So neither does --parallelism, which changes the order in which nodes are looked at.
    assert order_matters(rules(release), grid_of_two_nodes(1)) is None


@pytest.mark.parametrize("release", RELEASES)
def test_the_order_of_the_map_decides_among_equals_only(release: str) -> None:
    found = not_among_equals(rules(release), grid_of_two_nodes(1), enough=2)
    assert found is None
    # Some case has several answers, so that the map decides.
    assert any(len(in_any_order(rules(release), case, 2)[0]) > 1 for case in grid_of_two_nodes(1))


def full(name: str, *priorities: int) -> PreemptionNode:
    """A full node. The first pod is the one that a budget protects."""
    pods = tuple(
        PreemptionPod(f"{name}{at}", priority, 1, () if at else PROTECTED, 1) for at, priority in enumerate(priorities)
    )
    return PreemptionNode(name, len(pods), len(pods) + 1, pods)


@pytest.mark.parametrize(("release", "equals"), [("1.17.10", False), ("1.31.2", False), ("1.31.13", True)])
def test_up_to_1_31_2_nodes_are_taken_for_equals_that_are_not(release: str, equals: bool) -> None:
    # The first victim is taken for the most important one, and the protected pod stands first (#128307). The sums and
    # numbers are the same, so that the map decides whether a pod of priority 2 goes.
    budget = PodDisruptionBudget("b", NAMESPACE, PROTECTED, 0)
    case = Case(PreemptionPod("p", 3, 3), (full("n", 0, 2, 0), full("m", 0, 1, 1)), (budget,))
    found = not_among_equals(rules(release), iter((case,)), enough=2)
    assert (found is None) == equals
    if found is not None:
        assert (found.one[0], found.other[0]) == ("m", "n")
    else:
        assert {node for node, _ in in_any_order(rules(release), case, 2)[0]} == {"m"}


@pytest.mark.parametrize("release", RELEASES)
def test_where_a_few_candidates_are_enough_the_beginning_decides(release: str) -> None:
    found = not_among_equals(rules(release), grid_of_two_nodes(1), enough=1)
    # To 1.19 all nodes are looked at. From 1.20 on the search begins at a random node and ends early (#94814).
    assert (found is None) == (release in ("1.17.10", "1.19.0"))


def test_by_default_the_beginning_decides_from_101_nodes_on() -> None:
    assert first_cut_search(MinCandidates()) == 101
    assert first_cut_search(MinCandidates(percentage=50, absolute=10)) == 11
