"""Effects of a change of the listing rules: the order of nodes, fairness between zones.

Each tree that the system reaches without the change is listed under both rules.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from model.scheduler.cache.node_tree import ListNodes, NodeTree
from properties.effect import Effect, Reached


def zone_lead(tree: NodeTree, names: tuple[str, ...]) -> int:
    """How far one zone gets ahead of another in any prefix of the list, while the other zone still has nodes to come.

    1 is a strict round robin. With a larger number the first nodes that a pod is offered are mostly in one zone.
    """
    zone_of = {name: zone for zone, array in zip(tree.zones, tree.tree, strict=True) for name in array.nodes}
    left = Counter(zone_of[name] for name in names if name in zone_of)
    seen: Counter[str] = Counter()
    lead = 0
    for name in names:
        if name in zone_of:
            zone = zone_of[name]
            seen[zone] += 1
            left[zone] -= 1
            waiting = [seen[other] for other in left if left[other] > 0]
            lead = max([lead, *(seen[zone] - behind for behind in waiting)])
    return lead


def effects(before: ListNodes, after: ListNodes, trees: Iterable[NodeTree]) -> list[Effect]:
    """How the listings of `trees` differ between two rules. Each tree has the cursors with which it was reached."""
    order = first = fairness = rotates_before = rotates_after = total = 0
    order_example = first_example = fairness_example = None
    for tree in trees:
        total += 1
        old, old_tree = before(tree)
        new, new_tree = after(tree)
        shape = f"{_shape(tree)}: [{', '.join(old)}] -> [{', '.join(new)}]"
        if old != new:
            order += 1
            order_example = order_example or shape
        if old[:1] != new[:1]:
            first += 1
            first_example = first_example or shape
        leads = zone_lead(tree, old), zone_lead(tree, new)
        if leads[0] != leads[1]:
            fairness += 1
            fairness_example = fairness_example or f"{shape}, lead {leads[0]} -> {leads[1]}"
        rotates_before += before(old_tree)[0] != old
        rotates_after += after(new_tree)[0] != new
    return [
        Effect("order of the node list", order, total, order_example),
        Effect("node that is looked at first", first, total, first_example),
        Effect("fairness between zones (how far one zone gets ahead)", fairness, total, fairness_example),
        Effect(
            "second listing of an unchanged tree begins elsewhere",
            abs(rotates_after - rotates_before),
            total,
            f"{rotates_before} trees before, {rotates_after} after",
        ),
    ]


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """`effects` of two choices of rules over the reached states; none if both have the same rule for listing."""
    rules: Any = None
    trees: dict[NodeTree, None] = {}
    for scope in reached:
        rules = scope.old.rules, scope.new.rules  # type: ignore[attr-defined]
        if rules[0].list_nodes is rules[1].list_nodes:
            return []
        trees |= dict.fromkeys(state.tree for state in scope.states)
    return effects(rules[0].list_nodes, rules[1].list_nodes, trees) if trees else []


def _shape(tree: NodeTree) -> str:
    return " ".join(f"{zone}={{{','.join(array.nodes)}}}" for zone, array in zip(tree.zones, tree.tree, strict=True))
