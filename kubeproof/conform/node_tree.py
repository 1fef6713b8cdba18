"""Plays recordings of `node_tree` (Go: node_tree.go) on `model.scheduler.cache.node_tree`."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict

from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model import releases
from model.releases import Release
from model.scheduler.cache.node_tree import (
    NodeTree,
    NodeTreeRules,
    list_error,
    list_from_reset_cursors,
    list_from_resuming_cursors,
    list_stateless,
    update_node,
)
from properties.forms import Forms


def zone_key(zone: str) -> str:
    """The zone key of a recorded zone. Both region labels are `r`; "" means that the node has no labels."""
    return f"r:\x00:{zone}" if zone else ""


def bare_zone(key: str) -> str:
    """The recorded form of a zone key."""
    return key.removeprefix("r:\x00:")


# Cursors are recorded in the releases that have cursors.
HAS_CURSORS = Forms(
    "list_nodes", {list_from_resuming_cursors: True, list_from_reset_cursors: True, list_stateless: False}
)


class InZone(TypedDict):
    node: str
    zone: str


class Update(InZone):
    old_zone: str


class NodeTreePlayer:
    """One case: a tree that is empty at first, under the rules of the recorded release. The config has no entries."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"add": InZone, "remove": InZone, "update": Update, "list": Bare}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(NodeTreeRules, release)
        # The form of a recording is that of its release, whatever rule is replaced.
        self._has_cursors = HAS_CURSORS.of(releases.rules_for(NodeTreeRules, release))
        self._tree = NodeTree()

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        error: str | None = None
        listed: dict[str, Any] = {}
        rules, tree = self._rules, self._tree
        match op["op"]:
            case "add":
                tree = rules.add_node(tree, op["node"], zone_key(op["zone"]))
            case "remove":
                error, tree = rules.remove_node(tree, op["node"], zone_key(op["zone"]))
            case "update":
                tree = update_node(rules, tree, op["node"], zone_key(op["old_zone"]), zone_key(op["zone"]))
            case "list":
                names, tree = rules.list_nodes(tree)
                error = None if self._has_cursors else list_error(names, tree)
                listed = {"list": list(names)}
            case unknown:
                raise ValueError(f"'{unknown}'")
        self._tree = tree
        return {"error": error, **listed, **self._observed(tree)}

    def _observed(self, tree: NodeTree) -> dict[str, Any]:
        zones = [bare_zone(key) for key in tree.zones]
        observed: dict[str, Any] = {
            "num_nodes": tree.num_nodes,
            "zones": zones,
            "tree": {zone: list(array.nodes) for zone, array in zip(zones, tree.tree, strict=True)},
        }
        if self._has_cursors:
            observed["zone_index"] = tree.zone_index
            observed["last_index"] = {zone: array.last_index for zone, array in zip(zones, tree.tree, strict=True)}
        return observed
