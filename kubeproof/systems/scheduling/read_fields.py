"""The fields of pods and nodes that the scheduler's rules read, and the powers that change them."""

from kubeproof.systems.read_fields import ReadField

READ_FIELDS = (
    ReadField("Pod.metadata.name", ("pods", "recreates")),
    ReadField("Pod.metadata.uid", ("recreates",)),
    ReadField(
        "Pod.spec.priority", ("high", "top", "preemption"), "a change after the creation: the API server refuses it"
    ),
    ReadField(
        "Pod.spec.containers[].resources.requests",
        ("big", "shrinks"),
        "a request that grows, or that changes after the binding: from 1.27 on, behind a gate that is off",
    ),
    ReadField("Pod.spec.nodeName", ("other_binders", "lost_replies", "bound_at_start")),
    ReadField("Pod.status.nominatedNodeName", ("preemption",), "a user who writes the field"),
    ReadField("Pod.metadata.labels", ("labels", "anti_affinity")),
    ReadField(
        "Pod.metadata.annotations",
        ("updates", "extender"),
        "an annotation of a user that a filter reads: only the extender's own annotation decides",
    ),
    ReadField("Pod.spec.affinity", (), "no pod has a term of its own: recordings of the queue have some"),
    ReadField("Pod.spec.tolerations", (), "no node has a taint: QUEUE-PRECHECK-MISS is shown without the system"),
    ReadField("Pod.status.conditions", ("preemption",), "a condition that somebody else writes"),
    ReadField("Pod.metadata.resourceVersion", ("resyncs",), "versions that are equal in all modelled fields are one"),
    ReadField("Pod.metadata.deletionTimestamp", ("graceful", "blocked_deletes")),
    ReadField("Pod.metadata.managedFields", (), "no filter reads the field: releases only compare it"),
    ReadField("Pod.metadata.finalizers", ("finalizers", "blocked_deletes")),
    ReadField("Pod.spec.schedulerName", (), "every pod names this scheduler: scheduling-cycle has pods of another one"),
    ReadField("Pod.spec.schedulingGates", (), "no pod has a gate: queueing-hints explores them"),
    ReadField("Node.metadata.name", ("late_nodes", "node_deletes", "node_adds")),
    ReadField(
        "Node.metadata.labels",
        ("node_zones",),
        "no pod selects nodes by label, and no node changes its zone (that is for node-listing to explore)",
    ),
    ReadField("Node.status.allocatable", ("node_grows", "node_shrinks")),
    ReadField("Node.metadata.resourceVersion", ("heartbeats",)),
    ReadField("Node.spec.unschedulable", ("cordons",)),
    ReadField("Node.spec.taints", (), "no node has a taint: QUEUE-PRECHECK-MISS is shown without the system"),
    ReadField("Node.status.conditions", (), "the scheduler reads the taints that follow from them"),
)
# The entry for each field of model.objects.
OF_POD = {
    "name": "Pod.metadata.name",
    "uid": "Pod.metadata.uid",
    "priority": "Pod.spec.priority",
    "cpu_milli": "Pod.spec.containers[].resources.requests",
    "node_name": "Pod.spec.nodeName",
    "nominated_node_name": "Pod.status.nominatedNodeName",
    "labels": "Pod.metadata.labels",
    "annotations": "Pod.metadata.annotations",
    "affinity_app": "Pod.spec.affinity",
    "toleration": "Pod.spec.tolerations",
    "condition": "Pod.status.conditions",
    "resource_version": "Pod.metadata.resourceVersion",
    "terminating": "Pod.metadata.deletionTimestamp",
    "managed_fields": "Pod.metadata.managedFields",
    "finalizers": "Pod.metadata.finalizers",
    "scheduling_gates": "Pod.spec.schedulingGates",
    "disruption_target": "Pod.status.conditions",
    "scheduler_name": "Pod.spec.schedulerName",
}
OF_NODE = {
    "name": "Node.metadata.name",
    "zone": "Node.metadata.labels",
    "cpu_milli": "Node.status.allocatable",
    "resource_version": "Node.metadata.resourceVersion",
    "unschedulable": "Node.spec.unschedulable",
    # The labels of pods decide against the pod that this field stands for.
    "anti_affinity_app": "Pod.metadata.labels",
}
