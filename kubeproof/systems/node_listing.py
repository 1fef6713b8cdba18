"""The system node-listing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubeproof.systems import node_listing_words as narration
from kubeproof.systems.system import System
from model.systems.node_listing import NodeListingMachine, NodeListingRules, NodeListingScope
from properties.node_listing import effects as node_listing_effects
from properties.node_listing import listing as node_listing
from properties.tla.node_listing import system as tla_node_listing

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _node_listing_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.node_listing.system import encode  # Z3 takes a while to load, and most commands do without

    return encode(scope, rules, forms)


NODE_LISTING = System(
    name="node-listing",
    summary="the nodeTree and the node list that UpdateSnapshot makes of it, while nodes join, leave and change zone",
    scope_class=NodeListingScope,
    rules_class=NodeListingRules,
    machine=lambda scope, rules: NodeListingMachine(scope, rules),
    properties=node_listing.PROPERTIES,
    scope=NodeListingScope(nodes=3, zones=2),
    fix_scope=NodeListingScope(nodes=4, zones=2),
    large_scope=NodeListingScope(nodes=8, zones=4),
    sources={
        "add_node": "cache.go AddNode -> node_tree.go addNode",
        "remove_node": "cache.go RemoveNode -> node_tree.go removeNode",
        "update_node": "cache.go UpdateNode -> node_tree.go updateNode",
        "update_snapshot": "cache.go UpdateSnapshot (1.17 and before: UpdateNodeInfoSnapshot, NodeTree.Next)",
    },
    tla_form=tla_node_listing.form,
    smt_form=_node_listing_smt,
    describe_action=narration.describe_action,
    describe_state=narration.describe_state,
    describe_damage=narration.describe_damage,
    effects=node_listing_effects.effects_of_rules,
    mutants=node_listing.MUTANTS,
)
