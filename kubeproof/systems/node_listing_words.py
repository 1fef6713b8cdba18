"""node-listing in the words of its Go code: zones, node arrays, cursors, and the list that came of them."""

from collections import Counter

from model.machine import Action
from model.systems.node_listing import NodeListing
from properties.node_listing.listing import missing, repeated


def describe_action(action: Action) -> str:
    """One sentence: what happens in the cluster or in the scheduler."""
    match action.name:
        case "add_node":
            return f"Node {action['node']} joins in zone {action['zone']}."
        case "remove_node":
            return f"Node {action['node']} leaves."
        case "update_node":
            return f"Node {action['node']} changes its zone label to {action['zone']}."
        case "update_snapshot":
            return "A scheduling cycle begins: the scheduler takes its snapshot."
    return str(action)


def describe_state(state: NodeListing) -> list[str]:
    """The tree with its cursors, then the node list, each on a line."""
    tree = state.tree
    zones = [
        f"{zone}: {', '.join(array.nodes)} (lastIndex {array.last_index} of {len(array.nodes)})"
        for zone, array in zip(tree.zones, tree.tree, strict=True)
    ]
    lines = [f"tree: {'; '.join(zones) or 'empty'}; zoneIndex {tree.zone_index}, numNodes {tree.num_nodes}"]
    if state.fresh:
        lines.append(f"nodeInfoList: [{', '.join(state.snapshot.node_info_list)}]")
    elif state.snapshot.node_info_list:
        lines.append(f"nodeInfoList of the last snapshot: [{', '.join(state.snapshot.node_info_list)}]")
    return lines


def describe_damage(state: NodeListing) -> str | None:
    """Who is missing from the list of a fresh snapshot, and who is in it more than once."""
    if not state.fresh:
        return None
    counts = Counter(state.snapshot.node_info_list)
    parts = [f"**{name} is missing**" for name in missing(state)]
    parts += [f"{name} is in the list {counts[name]} times" for name in repeated(state)]
    return ", ".join(parts) or None


def describe_back(cycles: int | None) -> str:
    """When a list that lacks a node is whole again: after so many more cycles, or never."""
    if cycles is None:
        return "never, until a node joins or leaves"
    return "in the next cycle" if cycles == 1 else f"after {cycles} cycles"
