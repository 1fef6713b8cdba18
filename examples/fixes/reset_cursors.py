"""The upstream fix of NODETREE-CURSOR: reset every cursor before each listing.

Pull request #93355 (1.19.0), by #93387 in 1.18: `cache.nodeTree.resetExhausted()` at the top of
`updateNodeInfoSnapshotList`. Try it:

    kubeproof validate examples/fixes/reset_cursors.py --release 1.18.4
"""

from model.scheduler.cache.node_tree import NodeTree, next_node, reset_exhausted


def list_nodes(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    tree = reset_exhausted(tree)
    names = []
    for _ in range(tree.num_nodes):
        name, tree = next_node(tree)
        names.append(name)
    return tuple(names), tree
