"""Pod and Node as the models see them: the fields that a modelled component reads, compares or writes."""

from attrs import frozen

Pairs = tuple[tuple[str, str], ...]


@frozen(cache_hash=True)
class Pod:
    """A version of a pod object (core/v1 Pod).

    `name`: metadata.name (all pods live in one namespace); `uid` tells incarnations of a name apart.
    `labels`, `annotations`: sorted pairs. `affinity_app`: the value of label `app` that a required pod affinity
    term asks for. `toleration`: the key of a tolerated taint. `node_name`: spec.nodeName, "" while unbound.
    `nominated_node_name`: status.nominatedNodeName. `condition`: message of a PodScheduled=False condition.
    `cpu_milli`: request in milli-CPU. `resource_version` grows with each change in the API server.
    `terminating`: metadata.deletionTimestamp is set. `managed_fields`, `finalizers`: of metadata, read only where an
    update of an assumed pod is compared (model/scheduler/skip.py).
    """

    name: str
    uid: str
    priority: int = 0
    cpu_milli: int = 0
    node_name: str = ""
    nominated_node_name: str = ""
    labels: Pairs = ()
    annotations: Pairs = ()
    affinity_app: str = ""
    toleration: str = ""
    condition: str = ""
    resource_version: int = 0
    terminating: bool = False
    managed_fields: str = ""
    finalizers: tuple[str, ...] = ()


@frozen(cache_hash=True)
class Node:
    """A version of a node object (core/v1 Node). `zone`: "" means no labels. `cpu_milli`: allocatable milli-CPU."""

    name: str
    zone: str = ""
    cpu_milli: int = 0
    resource_version: int = 0
