"""The error function takes a node out of the cache: a node that is gone, and all of it."""

from model.machine import Action
from model.systems.scheduling_cycle import SchedulingCycle
from model.systems.scheduling_cycle.node_repair import REMOVE_NODE
from model.world.api_server import place
from properties.property import StepInvariant

State = SchedulingCycle


def _known(state: State, node: str) -> bool:
    """Whether the cache has the node."""
    return any(info.name == node and info.node is not None for info in state.cache.nodes)


def _removes(before: State, action: Action, after: State) -> bool:
    return _known(before, str(action["node"])) and not after.crashed


def _comes(state: State, node: str) -> bool:
    """Whether an event of the node is on its way: then the cache will hear of the node again."""
    return bool(state.node_calls) or any(event.node.name == node for event in state.node_watch)


def takes_what_is_gone(before: State, action: Action, after: State) -> bool:
    node = str(action["node"])
    if before.nodes[place(node)] is None or _comes(before, node):
        return True
    return not _removes(before, action, after)


def leaves_the_tree(before: State, action: Action, after: State) -> bool:
    return not _removes(before, action, after) or str(action["node"]) not in after.cache.node_tree.names()


REMOVED_IS_GONE = StepInvariant(
    name="node-in-use-is-not-removed",
    sentence="The error function takes no node out of the cache that the API server has, if no event of it is to come.",
    broken_by=("kept",),
    actions=frozenset({REMOVE_NODE}),
    holds=takes_what_is_gone,
    premise=_removes,
    explain=lambda before, action, after: (
        f"the error function takes {action['node']} out of the cache; the API server has the node, and no event tells"
    ),
)
REMOVED_LEAVES_TREE = StepInvariant(
    name="removed-node-leaves-the-tree",
    sentence="A node that the error function takes out of the cache is not in the node tree any more.",
    broken_by=("kept",),
    actions=frozenset({REMOVE_NODE}),
    holds=leaves_the_tree,
    premise=_removes,
    explain=lambda before, action, after: f"{action['node']} is taken out of the cache, and stays in the node tree",
)
