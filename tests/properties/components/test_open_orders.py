"""What Go leaves open when preemption chooses a node: does it change the answer, and only among equals?

Open are the order of the map from which `pickOneNodeForPreemption` takes the nodes, the random node at which the search
begins (1.20 on), and with `--parallelism` the order in which nodes are looked at. Each order of the nodes is tried, and
each beginning. Equals are nodes whose victims harm alike by the documented criteria.
"""

from collections.abc import Iterable
from itertools import permutations

import pytest

from model.objects import NAMESPACE
from model.releases import parse_release, rules_for
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.preempt import MinCandidates, Preempted, PreemptionRules, preempt
from model.scheduler.preemption.victims import select_victims_on_node
from properties.components.least_sacrifice import PROTECTED, Case, grid, harm

# A node, and the names of its victims.
Answer = tuple[str, tuple[str, ...]]
RELEASES = ("1.17.10", "1.19.0", "1.20.0", "1.31.2", "1.31.13")


def rules(release: str) -> PreemptionRules:
    return rules_for(PreemptionRules, parse_release(release))


def in_any_order(asked: PreemptionRules, case: Case, enough: int) -> list[frozenset[Answer]]:
    """All that may be answered for each order of the nodes, if so many candidates are enough."""
    statuses = {node.name: Status(Code.UNSCHEDULABLE) for node in case.nodes}
    few = MinCandidates(0, enough)
    every = [
        preempt(asked, case.run_filters, case.preemptor, nodes, statuses, case.budgets, few)
        for nodes in permutations(case.nodes)
    ]
    return [
        frozenset((each.nominated, each.victims) for each in found if isinstance(each, Preempted) and each.nominated)
        for found in every
    ]


def not_among_equals(asked: PreemptionRules, cases: Iterable[Case], enough: int) -> tuple[Answer, Answer] | None:
    """Of a first case two answers of which the first harms less; None: in each case all answers harm alike."""

    def harm_of(answer: Answer) -> tuple[float, ...]:
        (node,) = (each for each in case.nodes if each.name == answer[0])
        found = select_victims_on_node(asked, case.run_filters, case.preemptor, node, case.budgets)
        assert isinstance(found, Victims)
        return harm(found)

    for case in cases:
        every = sorted(frozenset().union(*in_any_order(asked, case, enough)), key=lambda each: (harm_of(each), each))
        if every and harm_of(every[0]) != harm_of(every[-1]):
            return every[0], every[-1]
    return None


@pytest.mark.parametrize("release", RELEASES)
def test_the_order_of_nodes_and_the_beginning_change_nothing_if_all_are_looked_at(release: str) -> None:
    # So neither does --parallelism, which changes the order in which nodes are looked at.
    for case in grid(1, nodes=2):
        assert len(set(in_any_order(rules(release), case, len(case.nodes)))) == 1


@pytest.mark.parametrize("release", RELEASES)
def test_the_order_of_the_map_decides_among_equals_only(release: str) -> None:
    found = not_among_equals(rules(release), grid(1, nodes=2), enough=2)
    assert found is None
    # Some case has several answers, so that the map decides.
    assert any(len(in_any_order(rules(release), case, 2)[0]) > 1 for case in grid(1, nodes=2))


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
    found = not_among_equals(rules(release), (case,), enough=2)
    assert (found is None) == equals
    if found is not None:
        assert (found[0][0], found[1][0]) == ("m", "n")
    else:
        assert {node for node, _ in in_any_order(rules(release), case, 2)[0]} == {"m"}


@pytest.mark.parametrize("release", RELEASES)
def test_where_a_few_candidates_are_enough_the_beginning_decides(release: str) -> None:
    found = not_among_equals(rules(release), grid(1, nodes=2), enough=1)
    # To 1.19 all nodes are looked at. From 1.20 on the search begins at a random node and ends early (#94814).
    assert (found is None) == (release in ("1.17.10", "1.19.0"))


def test_by_default_the_beginning_decides_from_101_nodes_on() -> None:
    for few, first in ((MinCandidates(), 101), (MinCandidates(percentage=50, absolute=10), 11)):
        assert next(nodes for nodes in range(1, 200) if few.number(nodes) < nodes) == first
