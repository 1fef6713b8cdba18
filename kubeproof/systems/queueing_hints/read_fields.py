"""The fields of pods that the rules of queueing-hints read, and the powers that change them."""

from kubeproof.systems.read_fields import ReadField

_NO_PLUGIN = "each plugin accepts every pod or none: what a pod is does not decide"
READ_FIELDS = (
    ReadField("Pod.metadata.name", ("pods", "recreates")),
    ReadField("Pod.metadata.uid", ("recreates",)),
    ReadField("Pod.spec.priority", (), "all pods have one priority"),
    ReadField("Pod.spec.containers[].resources.requests", (), _NO_PLUGIN),
    ReadField("Pod.spec.nodeName", ("lost_replies",)),
    ReadField("Pod.spec.schedulingGates", ("gates",), "one of several gates that goes: a pod has one gate"),
    ReadField("Pod.metadata.labels", ("assigned",), "those of a pod that waits: no plugin of the scopes reads them"),
    ReadField("Pod.spec.affinity", ("assigned",)),
    ReadField("Pod.spec.tolerations", ("tolerations",)),
    ReadField("Pod.metadata.annotations", ("updates",)),
    ReadField("Pod.status.nominatedNodeName", (), "nobody preempts"),
    ReadField("Pod.metadata.deletionTimestamp", ("graceful",)),
)
