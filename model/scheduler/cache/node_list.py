"""The scheduler's snapshot of its cache, as far as nodes without pods go: which nodes, in which order.

Go: pkg/scheduler/internal/cache/cache.go (`UpdateNodeInfoSnapshot` up to 1.17, `UpdateSnapshot` and
`updateNodeInfoSnapshotList` from 1.18), snapshot.go. Each function runs under `schedulerCache.mu`.

Left out with the pods: generations. `UpdateSnapshot` copies each NodeInfo whose generation is newer than the
snapshot's; a node that joined or changed since then always is, so after the walk the map has every node of the
cache. The nodes of the cache are those of the tree, because a node without pods leaves both at once.
"""

from collections.abc import Callable

from attrs import frozen

from model.go.errors import met_error
from model.scheduler.cache.node_tree import ListNodes, NodeTree
from model.variables import apart


@apart
@frozen(cache_hash=True)
class Snapshot:
    """The nodes that the scheduler reads during one cycle."""

    # The names of nodes, in the order of the listing.
    node_info_list: tuple[str, ...] = ()
    # The names of the nodes that have a NodeInfo, sorted.
    node_info_map: tuple[str, ...] = ()


def not_consistent(listed: int, in_tree: int, in_map: int, in_cache: int | None = None) -> str:
    """The error of `UpdateSnapshot` whose list is not as long as the tree has nodes. It fails the scheduling cycle.

    Without pods the cache has the nodes that the map has.
    """
    return (
        f"snapshot state is not consistent, length of NodeInfoList={listed} not equal to length of nodes in "
        f"tree={in_tree} , length of NodeInfoMap={in_map}, length of nodes in "
        f"cache={in_map if in_cache is None else in_cache}, trying to recover"
    )


UpdateSnapshot = Callable[[NodeTree, Snapshot, ListNodes], tuple[NodeTree, Snapshot]]


def update_snapshot_every_cycle(tree: NodeTree, snapshot: Snapshot, list_nodes: ListNodes) -> tuple[NodeTree, Snapshot]:
    """List the tree anew in every cycle (1.17, pull request #84014).

    Up to 1.16 there is no list: `findNodesThatFit` calls `Next` itself, at most `NumNodes` times in a cycle. Here
    such a cycle is a snapshot too, of a pod that looks at every node.
    """
    names, tree = list_nodes(tree)
    return tree, Snapshot(names)


def update_snapshot_on_node_change(
    tree: NodeTree, snapshot: Snapshot, list_nodes: ListNodes
) -> tuple[NodeTree, Snapshot]:
    """List the tree anew only when a node was added to or removed from the cache (1.18, pull request #85738).

    A node that changes its zone, or leaves and returns between two snapshots, does neither. The consistency check
    at the end compares lengths only: it lists once more, and fails this cycle (`snapshot state is not consistent`).
    """
    node_info_map = tree.sorted_names()
    # Without pods "a name is missing in the map" or "the map is longer than the cache" is "the two differ".
    if node_info_map != snapshot.node_info_map:
        node_info_list, tree = list_nodes(tree)
    else:
        node_info_list = snapshot.node_info_list
    if len(node_info_list) != tree.count():
        met_error("UpdateSnapshot", not_consistent(len(node_info_list), tree.count(), len(node_info_map)))
        node_info_list, tree = list_nodes(tree)
    return tree, Snapshot(node_info_list, node_info_map)


@frozen(slots=False, kw_only=True)
class SnapshotRules:
    """What releases do differently when a scheduling cycle takes its snapshot."""

    update_snapshot: UpdateSnapshot


# Rules that read nothing of the last snapshot. After a change of the tree a system may forget that snapshot under
# them: no later step can tell (a dead variable). A rule from outside is not in the list, so nothing is forgotten.
REBUILDS_ALWAYS: frozenset[UpdateSnapshot] = frozenset({update_snapshot_every_cycle})
