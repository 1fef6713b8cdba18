"""Upstream's cure, but a counter beside the tree saves two resets of three. Wrong: the counter is hidden state."""

from itertools import count

from model.scheduler.cache.node_tree import NodeTree, list_from_reset_cursors, list_from_resuming_cursors

CURES = "NODETREE-CURSOR"
_calls = count()


def list_nodes(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    return list_from_resuming_cursors(tree) if next(_calls) % 3 else list_from_reset_cursors(tree)
