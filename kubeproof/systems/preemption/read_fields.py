"""The fields of pods, nodes and budgets that the rules of preemption read, and the powers that change them."""

from kubeproof.systems.read_fields import ReadField

READ_FIELDS = (
    ReadField("Pod.metadata.labels", ("budgets",)),
    ReadField("Pod.metadata.deletionTimestamp", ("terminating",)),
    ReadField("Pod.spec.priority", ("priorities",)),
    ReadField("Pod.spec.preemptionPolicy", ("never",)),
    ReadField("Pod.spec.containers[].resources.requests", ("cpus",), "memory and all else but CPU"),
    ReadField("Pod.spec.imagePullSecrets", ("unnamed_secrets",)),
    ReadField(
        "Pod.spec.affinity", (), "a filter refuses a node for CPU, or for a reason that no pod that goes changes"
    ),
    ReadField("Pod.status.startTime", ("start_times",), "a pod that was not started yet"),
    ReadField("Pod.status.nominatedNodeName", ("terminating",), "other nominated pods"),
    ReadField("Pod.status.conditions", ("terminating",)),
    ReadField("Pod.status.qosClass", ("qos",)),
    ReadField("Node.status.allocatable", ("cpus",), "a node that has room, and the number of pods"),
    ReadField("PodDisruptionBudget.status.disruptionsAllowed", ("budgets", "more_pods")),
    ReadField("PodDisruptionBudget.status.disruptedPods", ("disrupted",), "several pods at once"),
    ReadField("PodDisruptionBudget.spec.selector", ("budgets", "empty_selectors"), "other operators than equality"),
)
