"""A wrong fix of NODETREE-CURSOR: the listing goes on where the last one stopped, and drops the names that come twice.

The list is then too short. `UpdateSnapshot` answers an error, the scheduling cycle fails, and the list is made anew.
"""

from model.scheduler.cache.node_tree import NodeTree, list_from_resuming_cursors


def list_nodes(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    names, tree = list_from_resuming_cursors(tree)
    return tuple(dict.fromkeys(names)), tree
