"""What releases do differently with nodes in the scheduler's cache. Touches nothing but its arguments.

Go: `UpdateNode`, `RemoveNode` in pkg/scheduler/internal/cache/cache.go, `nextGeneration` in node_info.go or
framework/types.go. Each function here runs with `schedulerCache.mu` held.
"""

from model.evolve import evolve
from model.go.errors import met_error
from model.objects import Node
from model.scheduler.cache import node_info, node_tree
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeTree
from model.scheduler.cache.state import (
    NIL_POINTER,
    OK,
    Cache,
    CacheRules,
    Outcome,
    drop_node_info,
    find_node_info,
    put_node_info,
    with_nodes,
)


def next_generation_of_all(last: int, own: int) -> int:
    """One counter for all NodeInfos (`nextGeneration`; 1.11, #63264). `last`: given out before, to any of them."""
    return last + 1


def next_generation_of_node(last: int, own: int) -> int:
    """Each NodeInfo counts for itself, from 0 when it is new (`n.generation++`, to 1.10).

    CACHE-GEN-COLLISION: a node that is removed and added again may reach the generation that a snapshot has.
    """
    return own + 1


def set_node_object(rules: CacheRules, cache: Cache, node: Node) -> Cache:
    """`SetNode` on the node's NodeInfo, which is made when there is none; without the tree."""
    info = find_node_info(cache.nodes, node.name) or NodeInfo(node.name)
    info = node_info.set_node(info, node, rules.next_generation(cache.generation, info.generation))
    return with_nodes(cache, put_node_info(cache.nodes, info), info.generation)


def with_tree(cache: Cache, tree: NodeTree) -> Cache:
    """`cache` with that tree."""
    return evolve(cache, node_tree=tree)


# --- UpdateNode


def update_node_adding_unknown(rules: CacheRules, cache: Cache, old_node: Node, node: Node) -> Cache:
    """A node that the cache has no NodeInfo of joins the tree (`UpdateNode`, from 1.18 on)."""
    tree = cache.node_tree
    if find_node_info(cache.nodes, node.name) is None:
        tree = rules.add_node(tree, node.name, node.zone)
    tree = node_tree.update_node(rules, tree, node.name, old_node.zone, node.zone)
    return with_tree(set_node_object(rules, cache, node), tree)


def update_node_in_tree_only_by_zone(rules: CacheRules, cache: Cache, old_node: Node, node: Node) -> Cache:
    """The tree changes with the zone and not otherwise (`UpdateNode`, to 1.17).

    NODETREE-UPDATE-UNKNOWN: a node that the cache does not know is in its map then, but never in the tree.
    """
    tree = node_tree.update_node(rules, cache.node_tree, node.name, old_node.zone, node.zone)
    return with_tree(set_node_object(rules, cache, node), tree)


# --- RemoveNode


def remove_node_keeping_ghost(rules: CacheRules, cache: Cache, node: Node) -> tuple[Outcome, Cache]:
    """The NodeInfo stays, without Node, while it has pods (`RemoveNode`; 1.16, 1.17; 1.18.9, 1.19.0 by #93938).

    The error of the tree, which looks in the zone of the object given, comes after everything is done.
    """
    info = find_node_info(cache.nodes, node.name)
    if info is None:
        return _not_found(node), cache
    error, tree = rules.remove_node(cache.node_tree, node.name, node.zone)
    return (OK if error is None else Outcome(error)), with_tree(_without_node(rules, cache, info), tree)


def remove_node_ignoring_tree(rules: CacheRules, cache: Cache, node: Node) -> tuple[Outcome, Cache]:
    """As `remove_node_keeping_ghost`, but the error of the tree is dropped (`RemoveNode`; 1.14, 1.15)."""
    outcome, changed = remove_node_keeping_ghost(rules, cache, node)
    if changed is cache:
        return outcome, cache
    met_error("RemoveNode", outcome.error, node.name)
    return OK, changed


def remove_node_of_unchecked_name(rules: CacheRules, cache: Cache, node: Node) -> tuple[Outcome, Cache]:
    """As `remove_node_ignoring_tree`, but an unknown name is a nil pointer (`RemoveNode`; 1.13)."""
    if find_node_info(cache.nodes, node.name) is None:
        return NIL_POINTER, cache
    return remove_node_ignoring_tree(rules, cache, node)


def remove_node_with_its_pods(rules: CacheRules, cache: Cache, node: Node) -> tuple[Outcome, Cache]:
    """The NodeInfo goes at once, its pods stay in podStates (`RemoveNode`; 1.18.0 to 1.18.8, 1.19.0-rc.1, #86964)."""
    if find_node_info(cache.nodes, node.name) is None:
        return _not_found(node), cache
    error, tree = rules.remove_node(cache.node_tree, node.name, node.zone)
    gone = evolve(cache, nodes=drop_node_info(cache.nodes, node.name), node_tree=tree)
    return (OK if error is None else Outcome(error)), gone


def _without_node(rules: CacheRules, cache: Cache, info: NodeInfo) -> Cache:
    generation = rules.next_generation(cache.generation, info.generation)
    if not info.pods:
        return with_nodes(cache, drop_node_info(cache.nodes, info.name), generation)
    ghost = node_info.set_node(info, None, generation)
    return with_nodes(cache, put_node_info(cache.nodes, ghost), generation)


def _not_found(node: Node) -> Outcome:
    return Outcome(f"node {node.name} is not found")
