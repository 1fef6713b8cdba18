"""The search for feasible nodes: what its rules do differently."""

import pytest

from kubeproof.bugs.component import Under
from kubeproof.bugs.demonstrations.search import LiveTree, search as node_by_node, tree_of
from model.go.errors import NIL_POINTER, GoError
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree, NodeTreeRules, add_node
from model.scheduler.filtering import (
    Check,
    FilteringRules,
    FilterSetup,
    Found,
    answered,
    find_nodes_that_fit_pod,
    select_host,
)
from model.scheduler.framework.calls import Steps, driven
from model.scheduler.framework.status import SUCCESS, Code, Status

NODES = ("n0", "n1", "n2")
REFUSED = Status(Code.UNSCHEDULABLE, ("no",))


def rules(release: str) -> FilteringRules:
    return rules_for(FilteringRules, parse_release(release))


def accepts(*names: str) -> Check:
    return lambda node: answered(SUCCESS if node in names else REFUSED)


def search(
    release: str,
    check: Check | None,
    *,
    start: int = 0,
    nominated: str = "",
    named: tuple[str, ...] | None = None,
    chooses: bool = True,
) -> Found:
    setup = FilterSetup(rules(release), 0, None, chooses, check)
    tree = LiveTree(tree_of(rules_for(NodeTreeRules, parse_release(release)), *NODES))
    return driven(find_nodes_that_fit_pod(setup, NODES, start, nominated, named), tree.answer)


@pytest.mark.parametrize(
    ("release", "percentage", "of_profile", "enough"),
    [
        ("1.13.0", 0, None, 1000),
        ("1.14.0", 0, None, 420),
        ("1.25.0", 0, None, 420),
        ("1.25.0", 5, None, 100),
        ("1.25.0", 30, 50, 300),
        ("1.26.0", 30, 50, 500),
        ("1.26.0", 30, 0, 420),
    ],
)
def test_how_many_of_1000_nodes_are_enough(release: str, percentage: int, of_profile: int | None, enough: int) -> None:
    assert rules(release).num_feasible_nodes_to_find(1000, percentage, of_profile) == enough
    assert rules(release).num_feasible_nodes_to_find(99, percentage, of_profile) == 99


def test_one_node_is_enough_if_nobody_chooses() -> None:
    assert search("1.29.14", accepts(*NODES), chooses=False).feasible == NODES
    found = search("1.30.0", accepts(*NODES), chooses=False)
    assert (found.feasible, found.examined, found.start) == (("n0",), ["n0", "n1"], 1)


def test_a_missing_node_that_pre_filter_names() -> None:
    assert search("1.23.10", accepts("n1"), named=("nowhere",)).feasible == ("n1",)
    assert search("1.28.8", accepts("n1"), named=("nowhere",)).error == GoError(
        'nodeinfo not found for node name "nowhere"'
    )
    crash = search("1.28.10", accepts("n1"), named=("nowhere",)).error
    assert crash is not None
    assert crash.panic
    found = search("1.28.11", accepts("n1"), named=("nowhere",))
    assert (found.feasible, found.error, found.start) == ((), None, 0)


def test_a_pod_that_names_its_node_sets_the_start_back_up_to_the_cure() -> None:
    # Of three nodes the second is where the next search begins, unless a pod of a DaemonSet comes in between.
    assert search("1.28.8", accepts(*NODES), start=1, named=("n1",)).start == 0
    assert search("1.28.11", accepts(*NODES), start=1, named=("n1",)).start == 2


def test_the_nominated_node_sets_the_start_back_up_to_1_24() -> None:
    assert search("1.21.9", accepts(*NODES), start=1, nominated="n2").feasible == ("n1", "n2", "n0")
    for release, start in (("1.22.3", 0), ("1.24.17", 0), ("1.25.0", 1)):
        found = search(release, accepts(*NODES), start=1, nominated="n2")
        assert (found.feasible, found.start) == (("n2",), start)


def test_a_nominated_node_where_the_pod_does_not_fit() -> None:
    found = search("1.31.13", accepts("n0"), nominated="n2")
    assert (found.feasible, found.examined) == (("n0",), ["n2", "n0", "n1", "n2"])


def test_without_filters() -> None:
    for release, feasible, start in (("1.17.17", NODES, 1), ("1.18.20", NODES, 1), ("1.19.0", ("n1", "n2", "n0"), 1)):
        found = search(release, None, start=1)
        assert (found.feasible, found.start) == (feasible, start)
    crash = search("1.31.13", None, named=("nowhere",), chooses=False).error
    assert crash is not None
    assert crash.panic


def test_an_error_ends_the_search_and_moves_the_start() -> None:
    def check(node: str) -> Steps[Status]:
        return answered(Status(Code.ERROR, ("boom",)) if node == "n2" else REFUSED)

    found = search("1.31.13", check)
    assert (found.feasible, found.error, found.start) == ((), GoError("boom"), 2)


def test_any_host_of_the_highest_total() -> None:
    scores = (("n0", 1), ("n1", 3), ("n2", 3))
    assert select_host(rules("1.31.13"), scores) == ("n1", "n2")
    assert select_host(rules("1.31.13"), ()) == GoError("empty priorityList")
    assert select_host(rules("1.27.16"), scores[:1]) == ("n0",)
    panic = select_host(rules("1.28.0"), scores[:1])
    assert isinstance(panic, GoError)
    assert panic.panic


def test_up_to_1_16_nodes_are_taken_from_the_tree_one_by_one() -> None:
    """The snapshot has n0 to n2. After the first node was taken n3 joins, and gets one of the three calls."""

    def joins(taken: int, tree: NodeTree) -> NodeTree:
        return add_node(tree, "n3", "") if taken == 1 else tree

    def found(release: str) -> Found:
        tree = tree_of(rules_for(NodeTreeRules, parse_release(release)), "n0", "n1")
        live = LiveTree(add_node(tree, "n2", "other zone"), joins)
        return node_by_node(Under(parse_release(release)), NODES, accepts("n1"), tree=live)

    for release in ("1.13.0", "1.15.12", "1.16.9"):
        assert (found(release).examined, found(release).feasible) == (["n0", "n2", "n1"], ("n1",))
    assert found("1.17.0").examined == ["n0", "n1", "n2"]


def test_a_node_that_the_snapshot_does_not_have_ends_the_process_from_1_16_0_to_1_16_8() -> None:
    def found(release: str) -> Found:
        tree = LiveTree(tree_of(rules_for(NodeTreeRules, parse_release(release)), "n0", "joined"))
        return node_by_node(Under(parse_release(release)), NODES, accepts("n0"), tree=tree)

    for release in ("1.15.12", "1.16.9"):
        assert (found(release).feasible, set(found(release).statuses)) == (("n0",), {"joined"})
    assert found("1.16.8").error == NIL_POINTER


def test_up_to_1_16_an_error_does_not_end_the_search() -> None:
    def check(node: str) -> Steps[Status]:
        return answered(Status(Code.ERROR, ("boom",)) if node == "n0" else SUCCESS)

    assert search("1.16.15", check).examined == list(NODES)
    assert search("1.17.0", check).examined == ["n0"]
    assert search("1.16.15", check).error == search("1.17.0", check).error == GoError("boom")
