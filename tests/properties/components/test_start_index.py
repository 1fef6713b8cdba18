"""After how many searches each node was examined, over every sequence of searches of a small grid."""

from itertools import product

import pytest
from attrs import evolve

from kubeproof.bugs.demonstrations.search import tree_of
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTreeRules
from model.scheduler.filtering import FilteringRules
from properties.components.start_index import Bound, Grid, bound, made, searches

NODES = ("n0", "n1", "n2", "n3", "n4")
# One release of each way in which the start moves.
RELEASES = ("1.13.12", "1.16.15", "1.17.17", "1.21.14", "1.22.3", "1.24.0", "1.25.0", "1.28.10", "1.31.13")


def rules(release: str) -> FilteringRules:
    return rules_for(FilteringRules, parse_release(release))


def grid(release: str, nodes: int, quota: int, *powers: str) -> Grid:
    names = NODES[:nodes]
    return Grid(
        names, quota, tree_of(rules_for(NodeTreeRules, parse_release(release)), *names), **dict.fromkeys(powers, True)
    )


def asked(release: str, nodes: int, quota: int, *powers: str) -> Bound:
    return bound(rules(release), grid(release, nodes, quota, *powers))


@pytest.mark.parametrize("release", RELEASES)
def test_each_node_is_examined_and_after_no_more_searches_than_the_bound(release: str) -> None:
    """A search examines one node more than are enough. To 1.16 the tree goes past this node, the start does not."""
    for nodes in range(1, 5):
        for quota in range(1, nodes + 1):
            whole = -(-nodes // (quota + 1)) if parse_release(release).minor < 17 else -(-(nodes - 1) // quota)
            assert asked(release, nodes, quota).searches == max(1, whole), (nodes, quota)


@pytest.mark.parametrize("release", RELEASES)
def test_the_bound_is_tight(release: str) -> None:
    """The run goes through the rules of the release, and none of its searches examines the node."""
    found = asked(release, 4, 1)
    assert found.searches is not None
    assert len(found.run) == found.searches - 1 > 0
    assert all(found.node not in each.examined for each in found.run)


@pytest.mark.parametrize(
    ("power", "broken_in"),
    [("named", {"1.24.0", "1.25.0", "1.28.10", "1.31.13"}), ("nominated", {"1.22.3", "1.24.0"}), ("errors", set())],
)
def test_which_other_searches_break_the_bound(power: str, broken_in: set[str]) -> None:
    broken = {release for release in RELEASES if asked(release, 3, 1, power).searches is None}
    assert broken == broken_in


@pytest.mark.parametrize(("release", "power"), [("1.22.3", "nominated"), ("1.28.8", "named"), ("1.31.13", "named")])
def test_a_sequence_that_never_examines_a_node_goes_round(release: str, power: str) -> None:
    found = asked(release, 3, 1, power)
    assert found.searches is None
    again = found.run[found.round :]
    assert any(each.counts for each in again)
    place = found.run[found.round - 1].after if found.round else found.run[-1].after
    of_grid = grid(release, 3, 1, power)
    for each in again:
        repeated = made(rules(release), of_grid, place, each.search)
        assert repeated == each
        assert each.alone or found.node not in each.examined
        place = each.after
    assert place == (found.run[found.round - 1].after if found.round else place)


def test_a_start_that_never_moves_breaks_the_bound() -> None:
    stuck = evolve(rules("1.31.13"), start_goes_round=lambda all_nodes, nodes: 1)
    assert bound(stuck, grid("1.31.13", 3, 1)).searches is None


def test_the_grid_has_every_set_of_feasible_nodes() -> None:
    every = {search.fits for search in searches(grid("1.31.13", 3, 1))}
    assert len(every) == 8
    assert all(frozenset(n for n, fits in zip(NODES, each, strict=False) if fits) in every
               for each in product((True, False), repeat=3))  # fmt: skip
