"""Upstream's cure, and each tree is listed once. Right: a cache by all arguments changes no answer."""

from functools import cache

from model.scheduler.cache.node_tree import NodeTree, list_from_reset_cursors

CURES = "NODETREE-CURSOR"


@cache
def list_nodes(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    return list_from_reset_cursors(tree)
