"""What releases do differently when they search for feasible nodes: the rules of `filtering`. Pure.

Go: `findNodesThatFit`, `findNodesThatFitPod`, `findNodesThatPassFilters`, `numFeasibleNodesToFind`, `selectHost` in
pkg/scheduler/core/generic_scheduler.go (1.24 on schedule_one.go).
"""

from collections.abc import Mapping, Sequence

from model.go.errors import GoError
from model.go.formats import quote
from model.scheduler.framework.status import Code, Status

MIN_FEASIBLE_NODES_TO_FIND, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 100, 5

# --- how many feasible nodes are enough -------------------------------------------------------------------------------


def _at_least(nodes: int, percentage: int) -> int:
    return max(MIN_FEASIBLE_NODES_TO_FIND, nodes * percentage // 100)


def _adaptive(nodes: int) -> int:
    """The percentage where none is given: 50, less with more nodes."""
    return max(MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND, 50 - nodes // 125)


def every_node_without_percentage(nodes: int, percentage: int, of_profile: int | None) -> int:
    """1.13: a percentage of 0 or less means every node."""
    if nodes < MIN_FEASIBLE_NODES_TO_FIND or percentage <= 0 or percentage >= 100:
        return nodes
    return _at_least(nodes, percentage)


def adaptive_without_percentage(nodes: int, percentage: int, of_profile: int | None) -> int:
    """1.14 to 1.25: a percentage of 0 or less means one that depends on the number of nodes."""
    if nodes < MIN_FEASIBLE_NODES_TO_FIND or percentage >= 100:
        return nodes
    return _at_least(nodes, percentage if percentage > 0 else _adaptive(nodes))


def profile_before_scheduler(nodes: int, percentage: int, of_profile: int | None) -> int:
    """1.26 on: a profile may have a percentage of its own, also 0."""
    if nodes < MIN_FEASIBLE_NODES_TO_FIND:
        return nodes
    asked = percentage if of_profile is None else of_profile
    return _at_least(nodes, asked or _adaptive(nodes))


def enough_as_computed(enough: int, chooses: bool) -> int:
    """To 1.29: whether anybody chooses among the feasible nodes is not asked."""
    return enough


def one_is_enough(enough: int, chooses: bool) -> int:
    """1.30 on: one feasible node is enough where neither scores nor a filtering extender choose among them."""
    return enough if chooses else 1


# --- the nodes that PreFilter names -----------------------------------------------------------------------------------

# The nodes to be asked, and the statuses of those left out; or the error that ends the cycle.
Named = tuple[tuple[str, ...], Mapping[str, Status]] | GoError


def names_are_not_looked_at(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """To 1.23 PreFilter names no nodes."""
    return nodes, {}


def error_for_missing_node(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """1.24 on, until #119779, or #124559 in an older minor."""
    for name in names:
        if name not in nodes:
            return GoError(f"nodeinfo not found for node name {quote(name)}")
    return names, {}


_FILTERED_OUT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node is filtered out by the prefilter result",))


def others_are_unresolvable(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """Between #119779 (#124559) and #125197: every other node has a status, and a missing node is nobody's concern."""
    left_out = {node: _FILTERED_OUT for node in nodes if node not in names}
    return tuple(node for node in nodes if node in names), left_out


def missing_nodes_are_left_out(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """From #125197 on."""
    return tuple(name for name in names if name in nodes), {}


# --- where there are no filter plugins --------------------------------------------------------------------------------


def all_nodes_at_once(nodes: tuple[str, ...], start: int, enough: int) -> tuple[str, ...]:
    """To 1.17, without regard to how many are enough."""
    return nodes


def the_first_nodes(nodes: tuple[str, ...], start: int, enough: int) -> tuple[str, ...]:
    """1.18."""
    return nodes[:enough]


def nodes_from_start(nodes: tuple[str, ...], start: int, enough: int) -> tuple[str, ...]:
    """1.19 on."""
    return tuple(nodes[(start + i) % len(nodes)] for i in range(enough))


def from_the_tree() -> bool:
    """To 1.16: `NodeTree.Next` is called for each node. So the tree's cursors say where the next search begins."""
    return True


def from_the_snapshot() -> bool:
    """1.17 on (#84014): the snapshot has the list."""
    return False


# --- where the next search begins -------------------------------------------------------------------------------------


def round_the_nodes_asked(all_nodes: int, asked: int) -> int:
    """Until #124933: the next search begins on a node with a number below the number of nodes that may be asked.

    If PreFilter named one node, or the nominated node was tried (up to 1.24), the next search begins at the first node.
    """
    return asked


def round_all_nodes(all_nodes: int, asked: int) -> int:
    """From #124933 on."""
    return all_nodes


def moved_by_the_nominated_node() -> bool:
    """To 1.24: each search moves the start, also that of the nominated node alone."""
    return True


def moved_once() -> bool:
    """1.25 on: only the search over the nodes moves the start."""
    return False


def moved_without_filters() -> bool:
    """1.18 on: whether the start moves by the nodes that are taken without filters."""
    return True


def stays_without_filters() -> bool:
    """To 1.17."""
    return False


# --- which host of the highest total ----------------------------------------------------------------------------------


_EMPTY = GoError("empty priorityList")
_FIRST_OF_NONE = GoError("runtime error: index out of range [0] with length 0", panic=True)


def any_of_the_highest(scores: Sequence[int]) -> GoError | None:
    """To 1.27: what goes wrong with this number of nodes."""
    return None if scores else _EMPTY


def panics_with_a_single_node(scores: Sequence[int]) -> GoError | None:
    """1.28 to 1.34: a second node is taken from the heap without a look. With one feasible node no cycle asks."""
    if not scores:
        return _EMPTY
    return _FIRST_OF_NONE if len(scores) == 1 else None


def panics_without_nodes(scores: Sequence[int]) -> GoError | None:
    """1.35 on: the first node is taken from the heap without a look. Without a feasible node no cycle asks."""
    return None if scores else _FIRST_OF_NONE
