"""nodeTree's listings, and what the model says of it beyond the recordings."""

from attrs import evolve
from hypothesis import given, strategies as st

from model.go.errors import with_errors_met
from model.releases import newest
from model.scheduler.cache.node_list import Snapshot, update_snapshot_on_node_change
from model.scheduler.cache.node_tree import (
    NodeArray,
    NodeTree,
    NodeTreeRules,
    add_node,
    list_error,
    list_from_reset_cursors,
    list_from_resuming_cursors,
    list_stateless,
    next_node,
    remove_node,
    remove_node_unquoted,
    update_node,
)


def tree_of(*joins: tuple[str, str]) -> NodeTree:
    tree = NodeTree()
    for node, zone in joins:
        tree = add_node(tree, node, zone)
    return tree


MASTERS = (("ma-01", "200002"), ("ma-02", "200002"), ("ma-03", "200002"))


def test_the_reports_cluster_loses_ma_03() -> None:
    first, tree = list_from_resuming_cursors(tree_of(*MASTERS))
    assert first == ("ma-01", "ma-02", "ma-03")
    second, _ = list_from_resuming_cursors(add_node(tree, "test-01", "200004"))
    assert second == ("test-01", "ma-01", "test-01", "ma-02")


def test_a_snapshot_is_compared_with_the_number_of_nodes_after_the_listing() -> None:
    def one_less(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
        return tree.names(), evolve(tree, num_nodes=tree.num_nodes - 1)

    tree = tree_of(*MASTERS)
    (after, _), met = with_errors_met(lambda: update_snapshot_on_node_change(tree, Snapshot(), one_less))
    assert after.num_nodes == 1
    assert len(met) == 1
    assert "length of NodeInfoList=3 not equal to length of nodes in tree=2 " in met[0].text


def test_reset_cursors_and_no_cursors_list_alike() -> None:
    _, tree = list_from_reset_cursors(tree_of(*MASTERS))
    tree = add_node(tree, "test-01", "200004")
    expected = ("ma-01", "test-01", "ma-02", "ma-03")
    assert list_from_reset_cursors(tree)[0] == list_stateless(tree)[0] == expected


trees = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["", "z1", "z2", "z3"])), max_size=12).map(
    lambda joins: tree_of(*joins)
)


@given(trees)
def test_reset_cursors_and_no_cursors_always_list_alike(tree: NodeTree) -> None:
    assert list_from_reset_cursors(tree)[0] == list_stateless(tree)[0]


@given(trees)
def test_a_first_listing_is_complete_under_any_rule(tree: NodeTree) -> None:
    for rule in (list_from_resuming_cursors, list_from_reset_cursors, list_stateless):
        assert sorted(rule(tree)[0]) == sorted(tree.names())


def test_removing_what_is_not_there_is_an_error_worded_by_release() -> None:
    tree = tree_of(("n1", "r:\x00:z1"))
    assert remove_node(tree, "n2", "r:\x00:z1") == ('node "n2" in group "r:\\x00:z1" was not found', tree)
    assert remove_node_unquoted(tree, "n2", "z") == ("node n2 in group z was not found", tree)


def test_an_update_ignores_that_the_old_entry_is_missing() -> None:
    tree = update_node(newest(NodeTreeRules, "node-listing"), NodeTree(), "n1", "z1", "z2")
    assert (tree.zones, tree.names()) == (("z2",), ("n1",))
    assert update_node(newest(NodeTreeRules, "node-listing"), tree, "n1", "z2", "z2") is tree


def test_list_stops_when_the_zones_hold_too_few_names() -> None:
    tree = NodeTree(("z",), (NodeArray(("n1",)),), num_nodes=2)
    names, _ = list_stateless(tree)
    assert names == ("n1",)
    assert list_error(names, tree) == "all zones exhausted before reaching count of nodes expected"


any_array = st.builds(NodeArray, st.lists(st.sampled_from("abcdefgh"), max_size=4).map(tuple), st.integers(0, 4))


@st.composite
def any_tree(draw: st.DrawFn) -> NodeTree:
    """Also trees that no release makes: with empty zones, cursors beyond the end, a wrong number of nodes."""
    arrays = draw(st.lists(any_array, max_size=4).map(tuple))
    zones = tuple(f"z{number}" for number in range(len(arrays)))
    return NodeTree(zones, arrays, draw(st.integers(0, 5)), draw(st.integers(0, 20)))


@given(any_tree())
def test_a_listing_is_as_many_calls_of_next_as_there_are_nodes(tree: NodeTree) -> None:
    names, after = [], tree
    for _ in range(tree.num_nodes):
        name, after = next_node(after)
        names.append(name)
    assert list_from_resuming_cursors(tree) == (tuple(names), after)
