"""node-listing in TLA+: specs/NodeListing.tla, its rules and properties, and how its states read."""

from collections.abc import Mapping
from typing import Any

from model.scheduler.cache import node_list as snapshot, node_tree
from model.scheduler.cache.node_list import REBUILDS_ALWAYS, Snapshot
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.systems.node_listing import NodeListing, NodeListingRules, NodeListingScope
from properties.node_listing import listing as node_listing
from properties.tla.form import Module, RuleConstant, TlaForm, TlaProperty, form_under

MODULE = "MCNodeListing"
MODULES = ("NodeTree.tla", "NodeListing.tla", "MCNodeListing.tla")

# A fix's operators have other names than Go's functions where NodeListing.tla has actions of those names.
CONSTANTS = (
    RuleConstant.of(
        "ListNodesRule",
        "list_nodes",
        {
            node_tree.list_from_resuming_cursors: "ListFromResumingCursors",
            node_tree.list_from_reset_cursors: "ListFromResetCursors",
            node_tree.list_stateless: "ListStateless",
            node_listing.list_one_per_zone: "ListOnePerZone",
        },
        own="ListNodes",
    ),
    RuleConstant.of("AddNodeRule", "add_node", {node_tree.add_node: "AddNodeToTree"}),
    RuleConstant.of(
        "RemoveNodeRule",
        "remove_node",
        {node_tree.remove_node: "RemoveNodeFromTree", node_tree.remove_node_unquoted: "RemoveNodeFromTree"},
    ),
    RuleConstant.of(
        "UpdateSnapshotRule",
        "update_snapshot",
        {
            snapshot.update_snapshot_every_cycle: "UpdateSnapshotEveryCycle",
            snapshot.update_snapshot_on_node_change: "UpdateSnapshotOnNodeChange",
        },
    ),
)

PROPERTIES: Mapping[str, TlaProperty] = {
    node_listing.LISTED_EXACTLY_ONCE.name: TlaProperty("invariant", "ListedExactlyOnce"),
    node_listing.LIST_LENGTH.name: TlaProperty("invariant", "ListAsLongAsTree"),
    node_listing.RELISTED_SAME_NODES.name: TlaProperty("step", "RelistingPermutes"),
    node_listing.NO_NEEDLESS_ERROR.name: TlaProperty("step", "NoNeedlessError"),
    node_listing.OFFERED_WHEN_QUIET.name: TlaProperty("liveness", "OfferedAgainWhenQuiet"),
    node_listing.OFFERED_UNDER_CHURN.name: TlaProperty("liveness", "OfferedAgainUnderChurn"),
}


def form(scope: NodeListingScope, rules: NodeListingRules, operators: Mapping[str, Module] | None = None) -> TlaForm:
    """The TLA+ form of node-listing in `scope` under `rules`.

    `operators` gives, for rule fields whose function is not built in, a .tla file that says the same thing. Such a
    module `EXTENDS NodeTree` and defines, with the records that NodeTree.tla describes,

        ListNodes(t)                       == [names |-> sequence of names, tree |-> the tree afterwards]
        FixedAddNode(t, node, zone)        == the tree afterwards
        FixedRemoveNode(t, node, zone)     == the tree afterwards
        FixedUpdateSnapshot(t, s)          == [tree |-> ..., snapshot |-> [nodeInfoList |-> ..., nodeInfoMap |-> ...]]

    With operators from outside there is no symmetry: a CHOOSE in them may prefer a name.
    """
    return form_under(
        rules,
        operators,
        CONSTANTS,
        module=MODULE,
        modules=MODULES,
        constants=(
            *(f"  {name} = {name}" for name in (*_names("n", scope.nodes), *_names("z", scope.zones))),
            f"  Nodes = {{{', '.join(_names('n', scope.nodes))}}}",
            f"  Zones = {{{', '.join(_names('z', scope.zones))}}}",
            f"  Moves = {_boolean(bool(scope.moves))}",
            f"  RebuildsAlways = {_boolean(rules.update_snapshot in REBUILDS_ALWAYS)}",
        ),
        properties=_stated(operators or {}),
        decode=decode,
        interchangeable=True,
    )


def _stated(operators: Mapping[str, Module]) -> Mapping[str, TlaProperty]:
    """`SnapshotFails` says which errors the built-in functions return; those of a fix may return others."""
    if operators.keys() <= {"list_nodes"}:
        return PROPERTIES
    ask = (node_listing.NO_NEEDLESS_ERROR, node_listing.OFFERED_WHEN_QUIET, node_listing.OFFERED_UNDER_CHURN)
    asking = {property.name for property in ask}
    return {name: stated for name, stated in PROPERTIES.items() if name not in asking}


def decode(variables: Mapping[str, Any]) -> NodeListing:
    """The machine's state of a TLA+ state."""
    tree, taken = variables["tree"], variables["snapshot"]
    arrays = tuple(NodeArray(array["nodes"], array["lastIndex"]) for array in tree["tree"])
    return NodeListing(
        NodeTree(tree["zones"], arrays, tree["zoneIndex"], tree["numNodes"]),
        Snapshot(taken["nodeInfoList"], tuple(sorted(taken["nodeInfoMap"]))),
        variables["fresh"],
        variables["failed"],
    )


def _names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i + 1}" for i in range(count))


def _boolean(value: bool) -> str:
    return "TRUE" if value else "FALSE"
