"""The fields of pods that the rules of async-preemption read, and the powers that change them."""

from kubeproof.systems.read_fields import ReadField

READ_FIELDS = (
    ReadField("Pod.metadata.deletionTimestamp", ("deletions",)),
    ReadField("Pod.status.conditions", ("goroutines",), "a condition that somebody else writes"),
    ReadField("Pod.status.nominatedNodeName", (), "other nominated pods, whose nominations a preemption takes back"),
    ReadField("Pod.spec.schedulingGroup", (), "pod groups (1.36)"),
)
