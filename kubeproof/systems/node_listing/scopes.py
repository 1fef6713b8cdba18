"""The scopes of node-listing."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.node_listing import NodeListingScope

SCOPES = Scopes(
    default=NodeListingScope(nodes=3, zones=2),
    fix=NodeListingScope(nodes=4, zones=2),
    large=NodeListingScope(nodes=8, zones=4),
    searched=("nodes", "zones", "moves"),
    mutants=(NodeListingScope(nodes=2, zones=2), NodeListingScope(nodes=3, zones=2)),
)
COUNTED = Counted(
    varied=("list_nodes", "update_snapshot"),
    small=(
        NodeListingScope(nodes=2, zones=2, moves=1),
        NodeListingScope(nodes=3, zones=2, moves=0),
        NodeListingScope(nodes=3, zones=2, moves=1),
        NodeListingScope(nodes=3, zones=3, moves=0),
    ),
    large=(
        (NodeListingScope(nodes=4, zones=2, moves=1), "list_stateless", "update_snapshot_on_node_change"),
        (NodeListingScope(nodes=4, zones=2, moves=1), "list_from_resuming_cursors", "update_snapshot_every_cycle"),
        (NodeListingScope(nodes=5, zones=3, moves=0), "list_from_reset_cursors", "update_snapshot_every_cycle"),
    ),
)
