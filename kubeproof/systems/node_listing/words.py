"""node-listing in the words of its Go code: zones, node arrays, cursors, and the list that came of them."""

from kubeproof.systems.system import Facts
from model.machine import Action
from model.systems.node_listing import NodeListing
from properties.node_listing.listing import missing


def sentence(before: NodeListing, action: Action, after: NodeListing) -> str:
    """What happened in the cluster or in the scheduler."""
    match action.name:
        case "add_node":
            return f"Node {action['node']} joins in zone {action['zone']}."
        case "remove_node":
            return f"Node {action['node']} leaves."
        case "update_node":
            return f"Node {action['node']} changes its zone label to {action['zone']}."
        case "update_snapshot":
            count, lost = len(after.snapshot.node_info_list), missing(after)
            entries = "1 entry" if count == 1 else f"{count} entries"
            without = f", none of them {' or '.join(lost)}" if lost else ""
            if after.failed:
                return (
                    f"A scheduling cycle fails, as UpdateSnapshot answers an error. The list for the next cycle has "
                    f"{entries}{without}."
                )
            return f"A scheduling cycle begins: its node list has {entries}{without}."
    return str(action)


def facts(state: NodeListing) -> Facts:
    """The tree with its cursors, then what the scheduler has of it."""
    tree, snapshot = state.tree, state.snapshot
    found: Facts = {"nodeTree: zones": tree.zones}
    for zone, array in zip(tree.zones, tree.tree, strict=True):
        found |= {f"nodeTree: nodes of {zone}": array.nodes, f"nodeTree: lastIndex of {zone}": str(array.last_index)}
    found |= {"nodeTree: zoneIndex": str(tree.zone_index), "nodeTree: numNodes": str(tree.num_nodes)}
    if snapshot.node_info_list or state.fresh:
        found["snapshot: nodeInfoList"] = f"[{', '.join(snapshot.node_info_list)}]"
    if state.failed:
        found["the last cycle"] = "failed"
    if snapshot.node_info_map != tuple(sorted(snapshot.node_info_list)):
        found["snapshot: nodeInfoMap"] = snapshot.node_info_map
    return found


def describe_back(cycles: int | None) -> str:
    """When a list that lacks a node is whole again: after so many more cycles, or never."""
    if cycles is None:
        return "never, until a node joins or leaves"
    return "in the next cycle" if cycles == 1 else f"after {cycles} cycles"
