"""Upstream's cure, and removeNode looks a name up by bisection.

Wrong: a zone has its nodes in the order they joined.
"""

from bisect import bisect_left

from model.scheduler.cache import node_tree
from model.scheduler.cache.node_tree import NodeTree, list_from_reset_cursors

CURES = "NODETREE-CURSOR"


def list_nodes(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    return list_from_reset_cursors(tree)


def remove_node(tree: NodeTree, node: str, zone: str) -> tuple[str | None, NodeTree]:
    nodes = tree.tree[tree.zones.index(zone)].nodes if zone in tree.zones else ()
    at = bisect_left(nodes, node)
    if at == len(nodes) or nodes[at] != node:
        return f'node "{node}" in group "{zone}" was not found', tree
    return node_tree.remove_node(tree, node, zone)
