"""nodeTree: node names by zone, and the order in which the scheduler lists them.

Go: pkg/scheduler/internal/cache/node_tree.go, releases 1.13 to 1.31. Not thread-safe there from 1.17 on: each
function runs under the cache's mutex (`schedulerCache.mu`); up to 1.16 under the tree's own (`NodeTree.mu`).
A zone is the *zone key* of `GetZoneKey`: `REGION:\\x00:ZONE`, or "" for a node without region and zone labels.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast

from attrs import frozen

from model.go.errors import MetErrors, meet_again, met_error, with_errors_met
from model.go.formats import quote
from model.variables import Variable, question, whole


@frozen(cache_hash=True)
class NodeArray:
    """The nodes of one zone in the order they joined, and the zone's cursor (`nodeArray`, 1.13 to 1.19)."""

    nodes: tuple[str, ...] = ()
    last_index: int = 0


@frozen(cache_hash=True)
class NodeTree(Variable):
    """The nodes by zone (Go: `nodeTree`). From 1.20 on the Go tree has no cursors; here the cursors then stay 0."""

    # The zone keys, in the order in which the zones appeared.
    zones: tuple[str, ...] = ()
    # The nodes of each zone. In Go this is a map; the map and the list of its keys always change together.
    tree: tuple[NodeArray, ...] = ()
    # The cursor over zones, as Go stores the cursor: it may equal the number of zones.
    zone_index: int = 0
    num_nodes: int = 0

    def names(self) -> tuple[str, ...]:
        """All node names, zone by zone in tree order."""
        return tuple(name for array in self.tree for name in array.nodes)

    @question
    def sorted_names(self) -> tuple[str, ...]:
        """All node names, in the order of the names."""
        return tuple(sorted(self.names()))

    @question
    def count(self) -> int:
        """`num_nodes`."""
        return self.num_nodes

    @question
    def zone_of(self, node: str) -> str | None:
        """The first zone that has `node`, or None."""
        for zone, array in zip(self.zones, self.tree, strict=True):
            if node in array.nodes:
                return zone
        return None


def next_in_array(array: NodeArray) -> tuple[str, bool, NodeArray]:
    """The zone's next node name, and whether the zone is exhausted (`nodeArray.next`)."""
    if not array.nodes:
        return "", False, array
    if array.last_index >= len(array.nodes):
        return "", True, array
    return array.nodes[array.last_index], False, NodeArray(array.nodes, array.last_index + 1)


def add_node(tree: NodeTree, node: str, zone: str) -> NodeTree:
    """Append `node` to the array of `zone`; a name that is there already is ignored (`addNode`)."""
    if zone not in tree.zones:
        return NodeTree((*tree.zones, zone), (*tree.tree, NodeArray((node,))), tree.zone_index, tree.num_nodes + 1)
    at = tree.zones.index(zone)
    array = tree.tree[at]
    if node in array.nodes:
        return tree
    longer = NodeArray((*array.nodes, node), array.last_index)
    return NodeTree(tree.zones, (*tree.tree[:at], longer, *tree.tree[at + 1 :]), tree.zone_index, tree.num_nodes + 1)


def remove_node(tree: NodeTree, node: str, zone: str) -> tuple[str | None, NodeTree]:
    """Take `node` out of `zone`, and the zone too when it is empty then (`removeNode`, `removeZone`; 1.16 to 1.31).

    Returns the Go error text, or None. Neither the zone's cursor nor `zone_index` moves.
    """
    if zone in tree.zones:
        at = tree.zones.index(zone)
        array = tree.tree[at]
        if node in array.nodes:
            i = array.nodes.index(node)
            rest = array.nodes[:i] + array.nodes[i + 1 :]
            before, after = tree.tree[:at], tree.tree[at + 1 :]
            if not rest:
                zones = tree.zones[:at] + tree.zones[at + 1 :]
                return None, NodeTree(zones, before + after, tree.zone_index, tree.num_nodes - 1)
            shorter = NodeArray(rest, array.last_index)
            return None, NodeTree(tree.zones, (*before, shorter, *after), tree.zone_index, tree.num_nodes - 1)
    return f"node {quote(node)} in group {quote(zone)} was not found", tree


def remove_node_unquoted(tree: NodeTree, node: str, zone: str) -> tuple[str | None, NodeTree]:
    """`remove_node` as 1.13 to 1.15 word its error (`%v` where later releases have `%q`)."""
    error, tree = remove_node(tree, node, zone)
    return (f"node {node} in group {zone} was not found" if error else None), tree


def reset_exhausted(tree: NodeTree) -> NodeTree:
    """All cursors back to the start (`resetExhausted`, 1.13 to 1.19)."""
    return NodeTree(tree.zones, tuple(NodeArray(array.nodes) for array in tree.tree), 0, tree.num_nodes)


def next_node(tree: NodeTree) -> tuple[str, NodeTree]:
    """The next node name, round robin over zones (`Next` up to 1.16, `next` in 1.17 to 1.19); "" of an empty tree."""
    if not tree.zones:
        return "", tree
    num_exhausted_zones = 0
    while True:
        zone_index = 0 if tree.zone_index >= len(tree.zones) else tree.zone_index
        # A zone is asked although it was exhausted before, so that a node added since then is seen.
        node, exhausted, array = next_in_array(tree.tree[zone_index])
        arrays = (*tree.tree[:zone_index], array, *tree.tree[zone_index + 1 :])
        tree = NodeTree(tree.zones, arrays, zone_index + 1, tree.num_nodes)
        if not exhausted:
            return node, tree
        num_exhausted_zones += 1
        if num_exhausted_zones >= len(tree.zones):
            tree = reset_exhausted(tree)


def list_from_resuming_cursors(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """`num_nodes` calls of `Next` that begin where the last listing stopped (1.13 to 1.18.6, 1.19 pre-releases).

    The calls are those of `next_node`, taken together: a tree may have 20,000 nodes, and as many zones. `left` has the
    zones that `next` does not pass over.
    """
    if not tree.zones:
        return ("",) * tree.num_nodes, tree
    last_index, zone_index = [array.last_index for array in tree.tree], tree.zone_index
    # A zone without nodes is never exhausted, and gives "".
    left = [z for z, array in enumerate(tree.tree) if not array.nodes or last_index[z] < len(array.nodes)]
    at = bisect_left(left, zone_index)
    names: list[str] = []
    while len(names) < tree.num_nodes:
        if not left:  # all zones are exhausted: resetExhausted
            last_index, left, at = [0] * len(tree.zones), list(range(len(tree.zones))), 0
        at = at if at < len(left) else 0
        zone, nodes = left[at], tree.tree[left[at]].nodes
        zone_index = zone + 1
        names.append(nodes[last_index[zone]] if nodes else "")
        last_index[zone] += bool(nodes)
        if nodes and last_index[zone] >= len(nodes):
            del left[at]
        else:
            at += 1
    arrays = tuple(NodeArray(array.nodes, at) for array, at in zip(tree.tree, last_index, strict=True))
    return tuple(names), NodeTree(tree.zones, arrays, zone_index, tree.num_nodes)


def list_from_reset_cursors(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """`resetExhausted`, then `num_nodes` calls of `next` (1.19.0, pull request #93355; 1.18 by #93387)."""
    return list_from_resuming_cursors(reset_exhausted(tree))


def list_stateless(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """`list`: round robin over zones with local indices (1.20 to 1.31, pull request #93473).

    Stops early, with what it has, when the zones hold fewer names than `num_nodes`; see `list_error`.
    """
    names: list[str] = []
    node_index = 0
    left = tree.tree
    while len(names) < tree.num_nodes:
        left = tuple(array for array in left if node_index < len(array.nodes))
        if not left:
            met_error("list", list_error(tuple(names), tree))
            break
        names += [array.nodes[node_index] for array in left]
        node_index += 1
    return tuple(names), tree


def list_error(names: tuple[str, ...], tree: NodeTree) -> str | None:
    """The error that Go's `list` returns beside `names` (1.20 to 1.31), or None; `UpdateSnapshot` only logs it."""
    if len(names) < tree.num_nodes:
        return "all zones exhausted before reaching count of nodes expected"
    return None


ListNodes = Callable[[NodeTree], tuple[tuple[str, ...], NodeTree]]
AddNode = Callable[[NodeTree, str, str], NodeTree]
RemoveNode = Callable[[NodeTree, str, str], tuple[str | None, NodeTree]]


@frozen(slots=False, kw_only=True)
class NodeTreeRules:
    """What releases do differently in the tree, and where a proposed fix takes hold."""

    list_nodes: ListNodes
    add_node: AddNode
    remove_node: RemoveNode


@frozen
class AskingRules:
    """The rules of a tree of which less than all is read: what they answer is asked, and the tree becomes what it does.

    Without an engine the answers are those of `rules`. No release's `add_node` meets an error. Which way is taken shows
    in no answer, so it is no question about the rule (`is_one_of`).
    """

    rules: NodeTreeRules
    # The fields whose rule no release has. Nobody knows what it reads: it is given all of the tree.
    outside: frozenset[str]

    def add_node(self, tree: NodeTree, node: str, zone: str) -> NodeTree:
        add = self.rules.add_node
        if "add_node" in self.outside:
            return add(whole(tree), node, zone)
        return cast(NodeTree, tree.become(add, node, zone))

    def remove_node(self, tree: NodeTree, node: str, zone: str) -> tuple[str | None, NodeTree]:
        remove = self.rules.remove_node
        if "remove_node" in self.outside:
            return remove(whole(tree), node, zone)
        error, met = tree.ask(_answer, remove, node, zone)
        meet_again(met)
        return error, tree.become(_tree_after, remove, node, zone)

    def list_nodes(self, tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
        list_nodes = self.rules.list_nodes
        if "list_nodes" in self.outside:
            return list_nodes(whole(tree))
        names, met = tree.ask(_answer, list_nodes)
        meet_again(met)
        return names, tree.become(_tree_after, list_nodes)


@lru_cache(maxsize=1 << 8)  # `_answer` is asked, and soon after it `_tree_after`
def _called(tree: NodeTree, rule: Callable[..., tuple[Any, NodeTree]], *args: str) -> tuple[Any, MetErrors, NodeTree]:
    (answer, after), met = with_errors_met(lambda: rule(tree, *args))
    return answer, met, after


def _answer(tree: NodeTree, rule: Callable[..., tuple[Any, NodeTree]], *args: str) -> tuple[Any, MetErrors]:
    return _called(tree, rule, *args)[:2]


def _tree_after(tree: NodeTree, rule: Callable[..., tuple[Any, NodeTree]], *args: str) -> NodeTree:
    return _called(tree, rule, *args)[2]


def update_node(rules: NodeTreeRules | AskingRules, tree: NodeTree, node: str, old_zone: str, zone: str) -> NodeTree:
    """Move `node` when its zone key changed (`updateNode`); that the old entry is missing is not an error."""
    if old_zone == zone:
        return tree
    _, tree = rules.remove_node(tree, node, old_zone)
    return rules.add_node(tree, node, zone)


# --- Which labels decide in which zone a node stands
#
# Go: `GetZoneKey`, pkg/util/node/node.go up to 1.20, k8s.io/component-helpers/node/topology/helpers.go from 1.21 on. A
# label that is there but empty hides the other generation.

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION = "failure-domain.beta.kubernetes.io/region"
STABLE_ZONE = "topology.kubernetes.io/zone"
STABLE_REGION = "topology.kubernetes.io/region"
ZONE_LABELS = (BETA_REGION, BETA_ZONE, STABLE_REGION, STABLE_ZONE)

GetZoneKey = Callable[[Mapping[str, str]], str]


def get_zone_key_beta_labels(labels: Mapping[str, str]) -> str:
    """Reads the `failure-domain.beta` labels and no others (1.13 to 1.16)."""
    return _zone_key(labels.get(BETA_REGION, ""), labels.get(BETA_ZONE, ""))


def get_zone_key_beta_labels_first(labels: Mapping[str, str]) -> str:
    """Reads `failure-domain.beta`, and `topology` where the beta label is not there; region and zone each on its own
    (1.17 to 1.31).

    >>> get_zone_key_beta_labels_first({STABLE_ZONE: "b", BETA_REGION: "sh"})
    'sh:\\x00:b'
    """
    zone = labels.get(BETA_ZONE, labels.get(STABLE_ZONE, ""))
    region = labels.get(BETA_REGION, labels.get(STABLE_REGION, ""))
    return _zone_key(region, zone)


def _zone_key(region: str, zone: str) -> str:
    return "" if region == "" and zone == "" else f"{region}:\x00:{zone}"
