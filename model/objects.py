"""Pod and Node as the models see them: the fields that a modelled component reads, compares or writes."""

from typing import Any

from attrs import field, frozen

# The namespace of every pod, as texts print it.
NAMESPACE = "ns"

Pairs = tuple[tuple[str, str], ...]
# Mark of a field that few scopes know. A trace shows the field only where its value is not the default.
SELDOM = "shown only where it is not the default"


def _seldom(default: Any) -> Any:
    return field(default=default, metadata={SELDOM: True})


@frozen(cache_hash=True)
class Pod:
    """A version of a pod object (core/v1 Pod). All pods live in one namespace."""

    # metadata.name.
    name: str
    # metadata.uid. The uid tells incarnations of a name apart.
    uid: str
    # spec.priority.
    priority: int = 0
    # The CPU request, in milli-CPU.
    cpu_milli: int = 0
    # spec.nodeName, "" while the pod is unbound.
    node_name: str = ""
    # status.nominatedNodeName, "" for none.
    nominated_node_name: str = ""
    # metadata.labels, as sorted pairs.
    labels: Pairs = ()
    # metadata.annotations, as sorted pairs.
    annotations: Pairs = ()
    # The value of label `app` that a required pod affinity term asks for, "" for no such term.
    affinity_app: str = ""
    # The key of a tolerated taint, "" for none.
    toleration: str = ""
    # The message of a PodScheduled=False condition, "" for no such condition.
    condition: str = ""
    # Grows with each change in the API server.
    resource_version: int = 0
    # Whether metadata.deletionTimestamp is set.
    terminating: bool = False
    # metadata.managedFields. Only the comparison of an update of an assumed pod reads this field
    # (model/scheduler/skip.py).
    managed_fields: str = ""
    # metadata.finalizers. Read like `managed_fields`.
    finalizers: tuple[str, ...] = ()
    # The names in spec.schedulingGates.
    scheduling_gates: tuple[str, ...] = _seldom(())
    # Whether the condition DisruptionTarget is True, with the reason PreemptionByScheduler (1.26 on).
    disruption_target: bool = _seldom(False)
    # spec.schedulerName, if the modelled scheduler has no profile of that name; "": the scheduler has one.
    scheduler_name: str = _seldom("")


@frozen(cache_hash=True)
class Node:
    """A version of a node object (core/v1 Node)."""

    name: str
    # The zone key; "": the node has no zone labels.
    zone: str = ""
    # The allocatable milli-CPU.
    cpu_milli: int = 0
    resource_version: int = 0
    # spec.unschedulable: the node is cordoned.
    unschedulable: bool = _seldom(False)
    # The value of label `app` that a required anti-affinity term of a pod on the node keeps away, "" for no such pod.
    # That pod is of another namespace and of no scheduler that is modelled: it stays, and asks for nothing.
    anti_affinity_app: str = _seldom("")
