"""A plausible fix that is wrong: reset the cursors whenever a zone appears, where the report's cluster lost its node.

This rule cures the reported run. A node that joins an existing zone still finds stale cursors. Try:

    kubeproof validate examples/fixes/reset_on_new_zone.py --release 1.18.4
"""

from model.scheduler.cache import node_tree
from model.scheduler.cache.node_tree import NodeTree, reset_exhausted


def add_node(tree: NodeTree, node: str, zone: str) -> NodeTree:
    if zone not in tree.zones:
        tree = reset_exhausted(tree)
    return node_tree.add_node(tree, node, zone)
