"""What is known of node-listing beside its steps: fields read, what nothing notices."""

from collections.abc import Mapping

from kubeproof.systems.read_fields import ReadField

# --- the fields of nodes that the rules of the node tree read, and the powers that change them ------------------------

READ_FIELDS = (
    ReadField("Node.metadata.name", ("nodes",)),
    ReadField(
        "Node.metadata.labels",
        ("zones", "moves"),
        "a region beside the zone: the two labels together are one zone key, and the keys have no order",
    ),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = ("Up to 1.16 no node event interrupts a snapshot. NODETREE-LIVE-ITER is shown without the system.",)


# --- fields of the state of node-listing in which no property notices a wrong value within a step, and why none has to

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "NodeTree.zone_index": "it decides which zone is listed first, and any zone may be",
    "NodeTree.zones": "another name of a zone: the order of the arrays is what is listed",
}
