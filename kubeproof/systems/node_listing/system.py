"""The system node-listing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubeproof.systems.node_listing import words
from kubeproof.systems.node_listing.described import LEFT_OUT, READ_FIELDS, UNNOTICED
from kubeproof.systems.node_listing.picture import PICTURE
from kubeproof.systems.node_listing.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System, rules_of
from model.places import Place
from model.systems.node_listing import NodeListingMachine, NodeListingRules, NodeListingScope
from properties.node_listing import effects as node_listing_effects, listing as node_listing
from properties.tla.node_listing import system as tla_node_listing

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _node_listing_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.node_listing.system import encode  # Z3 takes a while to load, and most commands do without

    return encode(scope, rules, forms)


def _of_the_tree(function: str, lower: str) -> Place:
    """A function of the cache and the tree's of the same name, which is not exported from 1.17 on."""
    return (
        ("1.13.0", f"cache.go {function} -> node_tree.go {function}"),
        ("1.17.0", f"cache.go {function} -> node_tree.go {lower}"),
    )


NODE_LISTING = System(
    name="node-listing",
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    unnoticed=UNNOTICED,
    summary="the nodeTree and the node list that UpdateSnapshot makes of it, while nodes join, leave and change zone",
    scope_class=NodeListingScope,
    rules_class=NodeListingRules,
    machine=lambda scope, rules: NodeListingMachine(scope, rules, rules_of(node_listing.MUTANTS)),
    properties=node_listing.PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={
        "add_node": _of_the_tree("AddNode", "addNode"),
        "remove_node": _of_the_tree("RemoveNode", "removeNode"),
        "update_node": _of_the_tree("UpdateNode", "updateNode"),
        "update_snapshot": (
            ("1.13.0", "cache.go UpdateNodeNameToInfoMap; generic_scheduler.go findNodesThatFit -> node_tree.go Next"),
            ("1.14.0", "cache.go UpdateNodeInfoSnapshot; generic_scheduler.go findNodesThatFit -> node_tree.go Next"),
            ("1.17.0", "cache.go UpdateNodeInfoSnapshot -> node_tree.go next"),
            ("1.18.0", "cache.go UpdateSnapshot, updateNodeInfoSnapshotList -> node_tree.go next"),
            ("1.20.0", "cache.go UpdateSnapshot, updateNodeInfoSnapshotList -> node_tree.go list"),
        ),
    },
    recorded={
        ("node_tree", "add"): "add_node",
        ("node_tree", "remove"): "remove_node",
        ("node_tree", "update"): "update_node",
        ("node_tree", "list"): "update_snapshot",
    },
    tla_form=tla_node_listing.form,
    smt_form=_node_listing_smt,
    sentence=words.sentence,
    picture=PICTURE,
    facts=words.facts,
    describe_back=words.describe_back,
    effects=node_listing_effects.effects_of_rules,
    mutants=node_listing.MUTANTS,
)
