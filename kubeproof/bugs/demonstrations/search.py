"""A search for feasible nodes among nodes that stay, or that come and go, under the rules of any release."""

from collections.abc import Callable
from typing import Any

from kubeproof.bugs.component import Under
from model.scheduler.cache.node_tree import NodeTree, NodeTreeRules, next_node
from model.scheduler.filtering import Check, FilteringRules, FilterSetup, Found, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Ask, Call, driven

# (how many names the search has taken from the tree, the tree) -> the tree when the search takes the next one.
Meanwhile = Callable[[int, NodeTree], NodeTree]


def nothing_happens(taken: int, tree: NodeTree) -> NodeTree:
    """Nodes neither join nor leave during the search."""
    return tree


class LiveTree:
    """The cache's node tree, as a search of 1.13 to 1.16 asks it."""

    def __init__(self, tree: NodeTree, meanwhile: Meanwhile = nothing_happens) -> None:
        self.tree = tree
        self._meanwhile = meanwhile
        self._taken = 0

    def answer(self, call: Call) -> Any:
        """The answer of the tree. Any other call is not for the tree, and gets None."""
        if call == Ask("number of nodes"):
            return self.tree.num_nodes
        if call != Ask("next node"):
            return None
        self.tree = self._meanwhile(self._taken, self.tree)
        self._taken += 1
        name, self.tree = next_node(self.tree)
        return name


def tree_of(rules: NodeTreeRules, *names: str) -> NodeTree:
    """The tree with these nodes, all in one zone."""
    tree = NodeTree()
    for name in names:
        tree = rules.add_node(tree, name, "")
    return tree


def search(
    under: Under,
    nodes: tuple[str, ...],
    check: Check,
    *,
    tree: LiveTree | None = None,
    start: int = 0,
    nominated: str = "",
    named: tuple[str, ...] | None = None,
) -> Found:
    """A search over `nodes`, which is the snapshot's list. `tree`: the live one; None: it has the same nodes.

    The other arguments are those of `find_nodes_that_fit_pod`.
    """
    live = LiveTree(tree_of(under.rules(NodeTreeRules), *nodes)) if tree is None else tree
    setup = FilterSetup(under.rules(FilteringRules), 0, None, True, check)
    return driven(find_nodes_that_fit_pod(setup, nodes, start, nominated, named), live.answer)
