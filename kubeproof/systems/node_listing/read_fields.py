"""The fields of nodes that the rules of the node tree read, and the powers that change them."""

from kubeproof.systems.read_fields import ReadField

READ_FIELDS = (
    ReadField("Node.metadata.name", ("nodes",)),
    ReadField(
        "Node.metadata.labels",
        ("zones", "moves"),
        "a region beside the zone: the two labels together are one zone key, and the keys have no order",
    ),
)
