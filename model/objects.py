"""Pod and Node as the models see them: the fields that a modelled component reads, compares or writes."""

from attrs import frozen

Pairs = tuple[tuple[str, str], ...]


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


@frozen(cache_hash=True)
class Node:
    """A version of a node object (core/v1 Node)."""

    name: str
    # The zone key; "": the node has no zone labels.
    zone: str = ""
    # The allocatable milli-CPU.
    cpu_milli: int = 0
    resource_version: int = 0
