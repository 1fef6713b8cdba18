"""The properties of node-listing.

`listed-exactly-once` compares names. `list-as-long-as-tree` compares lengths, which is all that Go's `UpdateSnapshot`
compares: so this property shows which bugs the check in Go can see.
"""

from collections import Counter

from model.go.errors import MetError
from model.machine import Action
from model.scheduler.cache.node_tree import NodeTree
from model.systems.node_listing import NodeListing
from properties.property import ErrorInvariant, Invariant, Liveness, Property, StepInvariant


def taken(state: NodeListing) -> bool:
    """Whether the scheduler has just taken a snapshot of a tree with nodes."""
    return state.fresh and state.tree.count() > 0


def each_node_once(state: NodeListing) -> bool:
    return not state.fresh or tuple(sorted(state.snapshot.node_info_list)) == state.tree.sorted_names()


def same_length(state: NodeListing) -> bool:
    return not state.fresh or len(state.snapshot.node_info_list) == state.tree.count()


def lists_unchanged_tree(before: NodeListing, action: Action, after: NodeListing) -> bool:
    return taken(before)


def same_nodes_again(before: NodeListing, action: Action, after: NodeListing) -> bool:
    if not lists_unchanged_tree(before, action, after):
        return True
    return sorted(before.snapshot.node_info_list) == sorted(after.snapshot.node_info_list)


def offered(state: NodeListing, node: str) -> bool:
    """Whether `node` is not in the tree, or is in the list of a scheduling cycle that did not fail."""
    return (node in state.snapshot.node_info_list and not state.failed) or not in_tree(state, node)


def in_tree(state: NodeListing, node: str) -> bool:
    return node in state.tree.sorted_names()


def missing(state: NodeListing) -> tuple[str, ...]:
    """The nodes of the tree that the list lacks, in tree order."""
    listed = set(state.snapshot.node_info_list)
    return tuple(name for name in state.tree.names() if name not in listed)


def repeated(state: NodeListing) -> tuple[str, ...]:
    """The names that are in the list more than once, in list order."""
    return tuple(name for name, count in Counter(state.snapshot.node_info_list).items() if count > 1)


def _gone(state: NodeListing) -> tuple[str, ...]:
    return tuple(name for name in state.snapshot.node_info_list if name not in state.tree.names())


def _explain_once(state: NodeListing) -> str:
    parts = [
        f"{', '.join(names)} {verdict}"
        for names, verdict in (
            (missing(state), "missing from the scheduler's node list"),
            (repeated(state), "in it twice or more"),
            (_gone(state), "in it although no longer in the tree"),
        )
        if names
    ]
    return "; ".join(parts) + f": list = [{', '.join(state.snapshot.node_info_list)}]"


def _explain_length(state: NodeListing) -> str:
    return f"the list has {len(state.snapshot.node_info_list)} names, the tree {state.tree.num_nodes} nodes"


def _explain_again(before: NodeListing, action: Action, after: NodeListing) -> str:
    first, second = before.snapshot.node_info_list, after.snapshot.node_info_list
    return f"[{', '.join(first)}], then [{', '.join(second)}] of the same tree"


def any_error(before: NodeListing, action: Action, error: MetError) -> bool:
    """Each call is about a node that the tree has, or lacks, as the call says; and cache and tree have the same nodes.

    So no call has a reason to fail.
    """
    return True


def calls(before: NodeListing, action: Action, after: NodeListing) -> bool:
    return True


def _explain_error(before: NodeListing, action: Action, error: MetError) -> str:
    fails = ": the scheduling cycle fails, and the list is made anew" if error.function == "UpdateSnapshot" else ""
    return f"{error.function} answers '{error.text}', though tree and cache have the same nodes{fails}"


def _explain_offered(state: NodeListing, node: str) -> str:
    pending = f"a pod that fits only {node} stays Pending"
    if state.failed:
        return f"{node} is in the tree, and no cycle that lists it ends without an error of UpdateSnapshot: {pending}"
    return f"{node} is in the tree and no snapshot ever lists it again: {pending}"


LISTED_EXACTLY_ONCE = Invariant(
    name="listed-exactly-once",
    sentence="After a snapshot each node of the tree stands in the scheduler's node list exactly once.",
    broken_by=("list_from_resuming_cursors",),
    holds=each_node_once,
    premise=taken,
    explain=_explain_once,
)
LIST_LENGTH = Invariant(
    name="list-as-long-as-tree",
    sentence="After a snapshot the node list has as many entries as the tree has nodes.",
    broken_by=("list_one_per_zone",),
    holds=same_length,
    premise=taken,
    explain=_explain_length,
)
RELISTED_SAME_NODES = StepInvariant(
    name="relisting-permutes",
    sentence="A second listing of an unchanged tree is a permutation of the first.",
    broken_by=("list_from_resuming_cursors",),
    actions=frozenset({"update_snapshot"}),
    holds=same_nodes_again,
    premise=lists_unchanged_tree,
    explain=_explain_again,
)
NO_NEEDLESS_ERROR = ErrorInvariant(
    name="no-needless-error",
    sentence="No call fails while the tree has the nodes of the cache: not UpdateSnapshot, not removeNode, not list.",
    broken_by=("list_one_per_zone",),
    actions=frozenset({"add_node", "remove_node", "update_node", "update_snapshot"}),
    needless=any_error,
    premise=calls,
    explain=_explain_error,
)
OFFERED_WHEN_QUIET = Liveness(
    name="offered-again-when-quiet",
    sentence="A pod that fits only node n is offered n again and again while n stays, if nodes change finitely often.",
    broken_by=("list_from_resuming_cursors",),
    sorts=("node",),
    goal=offered,
    premise=in_tree,
    explain=_explain_offered,
    fair=frozenset({"update_snapshot"}),
    recurring=frozenset({"update_snapshot"}),
)
OFFERED_UNDER_CHURN = Liveness(
    name="offered-again-under-churn",
    sentence="A pod that fits only node n is offered n again and again while n stays, however often others change.",
    broken_by=("list_from_resuming_cursors",),
    sorts=("node",),
    goal=offered,
    premise=in_tree,
    explain=_explain_offered,
    fair=frozenset({"update_snapshot"}),
)

PROPERTIES: tuple[Property, ...] = (
    LISTED_EXACTLY_ONCE,
    LIST_LENGTH,
    RELISTED_SAME_NODES,
    NO_NEEDLESS_ERROR,
    OFFERED_WHEN_QUIET,
    OFFERED_UNDER_CHURN,
)


def list_one_per_zone(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """A mutant: stops after the first round over the zones."""
    return tuple(array.nodes[0] for array in tree.tree), tree


MUTANTS = {"list_nodes": (list_one_per_zone,)}
