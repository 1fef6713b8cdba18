"""Each change of the tree sets all cursors back. Right: a listing of an unchanged tree ends where a round ends."""

from model.scheduler.cache import node_tree
from model.scheduler.cache.node_tree import NodeTree, reset_exhausted

CURES = "NODETREE-CURSOR"


def add_node(tree: NodeTree, node: str, zone: str) -> NodeTree:
    return reset_exhausted(node_tree.add_node(tree, node, zone))


def remove_node(tree: NodeTree, node: str, zone: str) -> tuple[str | None, NodeTree]:
    error, tree = node_tree.remove_node(tree, node, zone)
    return error, reset_exhausted(tree)
