"""The fields of pods that the rules of api-calls read, and the powers that change them."""

from kubeproof.systems.read_fields import ReadField

READ_FIELDS = (
    ReadField("Pod.status.nominatedNodeName", ("clears",), "a node that somebody else than the scheduler writes"),
    ReadField("Pod.status.conditions", ("refusals",), "a condition that somebody else writes"),
    ReadField("Pod.metadata.uid", (), "a pod that is deleted, or created again, while a call waits"),
)
