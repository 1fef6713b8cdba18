"""The fair-cycle search against one that looks for a cycle from every state, however far it is."""

from collections.abc import Sequence
from itertools import product
from unittest.mock import Mock

import networkx as nx
from attrs import frozen
from hypothesis import example, given, strategies as st

from kubeproof.engines.explicit.lasso import find_lasso
from model.machine import Action

FAIR = frozenset("ab")
STEP = st.tuples(st.sampled_from("abc"), st.integers(0, 7))


@frozen
class Graph:
    """A graph in the place of an exploration."""

    steps: Sequence[Sequence[tuple[str, int]]]
    depths: Sequence[int]

    def successors(self, number: int) -> list[tuple[Action, int]]:
        return [(Action(name), to) for name, to in self.steps[number]]

    def depth_of(self, number: int) -> int:
        return self.depths[number]

    def served(self, number: int) -> frozenset[str]:
        return FAIR - {name for name, _ in self.steps[number]}


def shortest(graph: Graph, bad: Sequence[int]) -> int | None:
    """The least length of a lasso: its way, and once round its cycle."""
    of_pairs: nx.DiGraph[tuple[int, frozenset[str]]] = nx.DiGraph()
    subsets = [frozenset(each) for each in ("", "a", "b", "ab")]
    for number, served in product(bad, subsets):
        for name, to in graph.steps[number]:
            if to in bad:
                of_pairs.add_edge((number, served), (to, served | graph.served(to) | ({name} & FAIR)))
    found = [graph.depths[number] for number in bad if graph.served(number) == FAIR]
    for start in bad:
        first = start, graph.served(start)
        if first in of_pairs:
            for _, last in of_pairs.edges(first):
                lengths = nx.single_source_shortest_path_length(of_pairs, last)
                found += [graph.depths[start] + 1 + n for pair, n in lengths.items() if pair == (start, FAIR)]
    return min(found, default=None)


@given(
    st.lists(st.lists(STEP, max_size=4), min_size=8, max_size=8), st.lists(st.integers(0, 6), min_size=8, max_size=8)
)
@example(steps=[[("a", 0), ("b", 0)], *[[("c", 0)]] * 7], depths=[0, *[3] * 7])  # two actions that lead to one state
def test_the_shortest_lasso_is_found(steps: list[list[tuple[str, int]]], depths: list[int]) -> None:
    graph = Graph(steps, sorted(depths))
    bad = [number for number in range(8) if number != 5]
    lasso = find_lasso(graph, Mock(fair=FAIR, recurring=None), bad)  # type: ignore[arg-type]
    length = None if lasso is None else graph.depth_of(lasso.cycle[0]) + len(lasso.taken)
    assert length == shortest(graph, bad)
    if lasso is not None:
        steps_taken = list(zip(lasso.cycle, lasso.taken, lasso.cycle[1:], strict=False))
        assert all((name or "c", to) in graph.steps[number] for number, name, to in steps_taken)
        assert set(lasso.taken).union(*map(graph.served, lasso.cycle)) - {""} == FAIR
