"""What decides nothing in preemption: the order of budgets, of pods, of nodes, and where a search begins."""

from collections.abc import Callable

import pytest
from attrs import evolve

from kubeproof.engines.explicit import explore
from model.releases import parse_release, rules_for
from model.systems.preemption import Preemption, PreemptionMachine, PreemptionScope, PreemptionSystemRules
from properties.preemption.effects import ends

BUDGETS = PreemptionScope(nodes=1, pods=3, cpus=1, priorities=2, budgets=2)
PODS = PreemptionScope(nodes=1, pods=2, cpus=2, priorities=2, budgets=1, start_times=1)
NODES = PreemptionScope(nodes=2, pods=2, cpus=1, priorities=2, budgets=1)

# Of an end: which pods go, and the numbers of violations.
Answer = frozenset[tuple[frozenset[str], frozenset[tuple[str, int]]]]


def machine(release: str, scope: PreemptionScope) -> PreemptionMachine:
    return PreemptionMachine(scope, rules_for(PreemptionSystemRules, parse_release(release)))


def answers(of: PreemptionMachine, state: Preemption) -> Answer:
    return frozenset(
        (
            frozenset(end.deleted),
            frozenset((each.node, each.victims.num_pdb_violations) for each in end.candidates),
        )
        for end in ends(of, state)
    )


def turned(change: Callable[[Preemption], Preemption], release: str, scope: PreemptionScope) -> tuple[int, int]:
    """In how many clusters, and of how many, the answer is another one after the change."""
    of = machine(release, scope)
    run = explore(of)
    begun = [state for state in map(run.state, range(run.counts.distinct)) if state.next == "search"]
    return sum(answers(of, state) != answers(of, change(state)) for state in begun), len(begun)


def other_budgets_first(state: Preemption) -> Preemption:
    return evolve(state, cluster=evolve(state.cluster, budgets=state.cluster.budgets[::-1]))


def other_pods_first(state: Preemption) -> Preemption:
    nodes = tuple(evolve(node, pods=node.pods[::-1]) for node in state.cluster.nodes)
    return evolve(state, cluster=evolve(state.cluster, nodes=nodes))


def apart(state: Preemption) -> bool:
    """Whether no two pods of a node are of one priority and one start time."""
    return all(
        len({(pod.priority, pod.start_time) for pod in node.pods}) == len(node.pods) for node in state.cluster.nodes
    )


def other_nodes_first(state: Preemption) -> Preemption:
    return evolve(state, cluster=evolve(state.cluster, nodes=state.cluster.nodes[::-1]))


@pytest.mark.slow
@pytest.mark.parametrize(("release", "decides"), [("1.17.10", False), ("1.18.20", True), ("1.19.4", False),
                                                  ("1.31.13", False)])  # fmt: skip
def test_the_order_of_budgets_decides_in_1_18_alone(release: str, decides: bool) -> None:
    """1.18 stops at the first budget that has nothing left, and takes nothing of those behind. Go lists by a map."""
    changed, total = turned(other_budgets_first, release, BUDGETS)
    assert total > 300
    assert bool(changed) is decides


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.17.10", "1.18.20", "1.31.13"])
def test_the_order_of_pods_decides_among_equals_only(release: str) -> None:
    def of_unequal(state: Preemption) -> Preemption:
        return other_pods_first(state) if apart(state) else state

    assert turned(of_unequal, release, PODS)[0] == 0
    assert turned(other_pods_first, release, PODS)[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.17.10", "1.31.13"])
def test_the_order_of_nodes_decides_nothing(release: str) -> None:
    changed, total = turned(other_nodes_first, release, NODES)
    assert total > 300
    assert changed == 0


@pytest.mark.parametrize("release", ["1.20.2", "1.31.13"])
def test_where_the_search_begins_decides_nothing_if_each_node_is_looked_at(release: str) -> None:
    of = machine(release, NODES)
    run = explore(of)
    for state in map(run.state, range(run.counts.distinct)):
        if state.next == "search":
            by_start = [
                {(end.chosen, end.deleted) for end in ends(of, of.step(state, action))} for action in of.actions(state)
            ]
            assert all(each == by_start[0] for each in by_start)
