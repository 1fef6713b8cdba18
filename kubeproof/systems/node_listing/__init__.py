"""The system node-listing, described."""

from kubeproof.systems.node_listing.system import NODE_LISTING as NODE_LISTING
