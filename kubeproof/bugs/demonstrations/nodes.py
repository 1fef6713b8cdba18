"""The runs of the node tree and the cache's nodes behind bugs that components show, under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from kubeproof.bugs.component import Demonstration, Under
from kubeproof.bugs.demonstrations.search import LiveTree, search
from model.go.errors import GoError
from model.objects import Node
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.node_tree import NodeTree, update_node
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot
from model.scheduler.event_rules import EventRules
from model.scheduler.extenders import Extender, find_nodes_that_pass_extenders
from model.scheduler.filtering import Found, answered
from model.scheduler.framework.calls import Call, ExtenderAnswer, ExtenderCall, Steps, driven
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.http_extender import ExtenderAnswerRules, FilterReply, filtered


def _with_nodes(rules: CacheRules, *nodes: Node) -> Cache:
    cache = Cache()
    for node in nodes:
        cache = cache_functions.add_node(rules, cache, node)[1]
    return cache


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


# --- NODETREE-LIVE-ITER -------------------------------------------------------------------------------------------


def _filtered(under: Under, before: tuple[Node, ...], fits: str, after_first: Node) -> tuple[Found, str]:
    """A search for a pod that fits on one node. After the search has taken its first node, a node joins, or moves.

    What was found, and the same in a line.
    """
    rules = under.rules(CacheRules)
    update = cache_functions.update_snapshot(rules, _with_nodes(rules, *before), CacheSnapshot())[0]
    zones = {node.name: node.zone for node in before}

    def check(node: str) -> Steps[Status]:
        return answered(SUCCESS if node == fits else Status(Code.UNSCHEDULABLE, ("the pod does not fit",)))

    def changes(taken: int, tree: NodeTree) -> NodeTree:
        if taken != 1:
            return tree
        name, zone = after_first.name, after_first.zone
        return update_node(rules, tree, name, zones[name], zone) if name in zones else rules.add_node(tree, name, zone)

    names = update.snapshot.node_info_list or tuple(info.name for info in update.snapshot.node_info_map)
    found = search(under, names, check, tree=LiveTree(update.cache.node_tree, changes))
    said = f"feasible: {_list(found.feasible)}" if found.error is None else found.error.text
    return found, f"filtered: {_list(tuple(found.examined))}; {said}"


def joined_while_filtering(under: Under) -> Demonstration:
    """Nodes join, or change their zone, while a pod is filtered that fits on one node."""
    shown, lines = [], []
    a1, b1 = Node("a1", zone="A"), Node("b1", zone="B")
    for what, before, fits, after_first in (
        ("a2 joins zone A", (a1, b1, Node("b2", zone="B")), "b2", Node("a2", zone="A")),
        ("a1 moves to zone B", (a1, b1, Node("a2", zone="A")), "a2", Node("a1", zone="B")),
    ):
        found, line = _filtered(under, before, fits, after_first)
        zones = ", ".join(f"{node.name} in zone {node.zone}" for node in before)
        lines += [f"{zones}; a pod fits on {fits} only", f"after the first node was filtered {what}: {line}"]
        if found.error is not None:
            shown.append(f"{what}: the scheduler crashes")
        elif fits not in found.examined:
            shown.append(f"{what}: the filter never sees {fits}, and the pod fails")
    return Demonstration(tuple(shown), tuple(lines))


# --- NODETREE-UPDATE-UNKNOWN --------------------------------------------------------------------------------------


def update_of_unknown_node(under: Under) -> Demonstration:
    """The cache gets an update of a node that it does not know; the node's zone stays the same."""
    rules = under.rules(CacheRules)
    cache = _with_nodes(rules, Node("n1", zone="A"))
    node = Node("n2", zone="A")
    cache = cache_functions.update_node(rules, cache, node, node)[1]
    known = tuple(info.name for info in cache.nodes if info.node is not None)
    listed = cache_functions.update_snapshot(rules, cache, CacheSnapshot())[0].snapshot.node_info_list
    lines = (
        "the cache knows n1; an update of n2 arrives, and no add of n2 came before",
        f"the cache has {_list(tuple(sorted(known)))}",
        f"the next cycle's list of nodes: {_list(listed)}",
    )
    return Demonstration(("the scheduler never tries the node",) if "n2" not in listed else (), lines)


# --- NODETREE-NAMEONLY-REMOVE -------------------------------------------------------------------------------------


def removed_by_name(under: Under) -> Demonstration:
    """A node in a zone is deleted; a cycle fails because of that before the delete event arrives, and then it does."""
    rules, error_func = under.rules(CacheRules), under.rules(EventRules).error_func()
    n1, n2 = Node("n1", zone="A"), Node("n2", zone="A")
    update = cache_functions.update_snapshot(rules, _with_nodes(rules, n1, n2), CacheSnapshot())[0]
    cache = update.cache
    if error_func.repairs_nodes:
        # The object has a name and nothing else, so no zone.
        cache = cache_functions.remove_node(rules, cache, Node("n2"))[1]
    outcome, cache = cache_functions.remove_node(rules, cache, n2)
    lines = [
        "n1 and n2 are in zone A; n2 is deleted, and a cycle fails because the API server has no n2",
        f"then the delete event arrives: {outcome.error or outcome.panic or 'the cache takes n2 out'}",
        f"the tree has {_list(cache.node_tree.names())}",
    ]
    shown = ["the tree keeps a node that is gone"] if "n2" in cache.node_tree.names() else []
    snapshot = update.snapshot
    errors = []
    for _ in range(2):
        update = cache_functions.update_snapshot(rules, cache, snapshot)[0]
        cache, snapshot = update.cache, update.snapshot
        errors.append(update.error)
        lines.append(f"a cycle begins: {update.error or f'its list of nodes is {_list(snapshot.node_info_list)}'}")
    if outcome.ends_process:
        shown.append("the delete event ends the process")
    if "n2" in snapshot.node_info_list:
        shown.append("cycles still list the node")
    if all(errors):
        shown.append("every cycle fails")
    return Demonstration(tuple(shown), tuple(lines))


# --- EXT-NODE-NOT-FOUND -------------------------------------------------------------------------------------------


def named_by_extender(under: Under) -> Demonstration:
    """An extender is asked about one node, and names also a node that the cycle does not know."""
    rules = under.rules(ExtenderAnswerRules)
    reply = FilterReply(node_names=("n1", "n2"))

    def answer(call: Call) -> ExtenderAnswer:
        assert isinstance(call, ExtenderCall)
        return filtered(rules, True, reply, call.nodes, frozenset({"n1"}))

    left = driven(find_nodes_that_pass_extenders((Extender("extender"),), ("n1",), {}), answer)
    crashes = isinstance(left, GoError) and left.panic
    said = f"the scheduler crashes: {left}" if crashes else f"the cycle ends with an error: {left}"
    lines = ("the extender is asked about n1, and answers that n1 and n2 fit; the cycle knows n1 only", said)
    return Demonstration(("the scheduler crashes",) if crashes else (), lines)
