"""The runs of the node tree and the cache's nodes behind bugs that components show, under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from kubeproof.bugs.component import Demonstration
from kubeproof.bugs.demonstrations.cache import NAMES_FROM_TREE
from model.objects import Node
from model.releases import Release, rules_for
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.node_tree import NodeTree, next_node
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot
from model.scheduler.event_rules import EventRules
from model.scheduler.extender_answer import ExtenderAnswerRules


def _with_nodes(rules: CacheRules, *nodes: Node) -> Cache:
    cache = Cache()
    for node in nodes:
        cache = cache_functions.add_node(rules, cache, node)[1]
    return cache


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


# --- NODETREE-LIVE-ITER -------------------------------------------------------------------------------------------


def joined_while_filtering(release: Release) -> Demonstration:
    """A cycle filters three nodes in two zones; a fourth joins after the first of them."""
    rules = rules_for(CacheRules, release)
    cache = _with_nodes(rules, Node("a1", zone="A"), Node("b1", zone="B"), Node("b2", zone="B"))
    before = ("a1", "b1", "b2")
    update = cache_functions.update_snapshot(rules, cache, CacheSnapshot())[0]
    names = update.snapshot.node_info_list
    if rules.take_snapshot in NAMES_FROM_TREE:
        first, tree = next_node(update.cache.node_tree)
        tree = rules.add_node(tree, "a2", "A")
        names = (first, *_ask(tree, len(before) - 1))
        source = "the filter asks the live tree for three names, and a2 joins zone A after the first"
    else:
        source = "the filter goes by the snapshot's list; a2 joins zone A after the first node"
    missing = tuple(name for name in before if name not in names)
    twice = tuple(name for name in dict.fromkeys(names) if names.count(name) > 1)
    shown = []
    if missing:
        shown.append(f"the filter never sees {_list(missing)}")
    if twice:
        shown.append(f"the filter sees {_list(twice)} twice")
    lines = ("zone A has a1, zone B has b1 and b2; a cycle begins", source, f"filtered: {_list(names)}")
    return Demonstration(tuple(shown), lines)


def _ask(tree: NodeTree, number: int) -> tuple[str, ...]:
    """The names that so many calls of `Next` give."""
    names = []
    for _ in range(number):
        name, tree = next_node(tree)
        names.append(name)
    return tuple(names)


# --- NODETREE-UPDATE-UNKNOWN --------------------------------------------------------------------------------------


def update_of_unknown_node(release: Release) -> Demonstration:
    """The cache gets an update of a node that it does not know; the node's zone stays the same."""
    rules = rules_for(CacheRules, release)
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


def removed_by_name(release: Release) -> Demonstration:
    """A node in a zone is deleted; a cycle fails because of that before the delete event arrives, and then it does."""
    rules, error_func = rules_for(CacheRules, release), rules_for(EventRules, release).error_func()
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


def named_by_extender(release: Release) -> Demonstration:
    """A node goes between the extender's answer and the look-up of the names in the answer."""
    nodes, error = rules_for(ExtenderAnswerRules, release).nodes_of_answer(("n1", "n2"), ("n1",), frozenset({"n1"}))
    went_on = _list(tuple("nil" if node is None else node for node in nodes))
    lines = (
        "the extender answers that n1 and n2 fit; the cycle knows n1 only",
        f"the cycle ends with an error: {error}" if error else f"the cycle goes on with {went_on}",
    )
    return Demonstration(("the cycle goes on with a node that is nil",) if None in nodes else (), lines)
