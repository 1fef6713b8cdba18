"""One pod as kubectl prints it, and what its priority class says of it."""

from collections.abc import Iterator, Mapping

from attrs import evolve, frozen

from kubeproof.advise.kubectl import REQUIRED, constraints, tolerations
from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.pod_events.requests import pod_resources
from kubeproof.advise.preemption.picture import AntiAffinity, Pod
from kubeproof.advise.preemption.selectors import label_selector, node_terms


@frozen
class PriorityClass:
    """A PriorityClass of the cluster."""

    value: int
    # Whether its preemptionPolicy is Never.
    never: bool


# Those that every cluster has.
SYSTEM_CLASSES = {
    "system-cluster-critical": PriorityClass(2_000_000_000, False),
    "system-node-critical": PriorityClass(2_000_001_000, False),
}


def read_pod(item: Fields) -> Pod:
    """The pod, without what only its priority class says (see `admitted`). Raises InputError."""
    metadata, spec, status = item.map("metadata"), item.map("spec"), item.map("status")
    affinity = spec.map("affinity")
    conditions = {each.text("type"): each for each in status.maps("conditions")}
    ready, target = conditions.get("Ready"), conditions.get("DisruptionTarget")
    priority = spec.number("priority")
    if not -(2**31) <= priority < 2**31:
        raise spec.refuse("priority", "a whole number of 32 bits", priority)
    return Pod(
        namespace=metadata.name("namespace"),
        name=metadata.name("name"),
        node=spec.text("nodeName"),
        nominated=status.text("nominatedNodeName"),
        phase=status.text("phase"),
        priority=priority,
        priority_class=spec.text("priorityClassName"),
        preempts_never=spec.text("preemptionPolicy") == "Never",
        scheduler=spec.text("schedulerName") or "default-scheduler",
        labels=metadata.texts("labels"),
        resources=pod_resources(item),
        started=status.moment("startTime"),
        deleting=metadata.moment("deletionTimestamp") is not None,
        disruption_target=target is not None
        and (target.text("status"), target.text("reason")) == ("True", "PreemptionByScheduler"),
        # A pod that its kubelet has not seen yet has conditions, and not this one.
        ready=not conditions if ready is None else ready.text("status") == "True",
        node_selector=tuple(spec.texts("nodeSelector").items()),
        node_terms=node_terms(affinity.map("nodeAffinity")),
        tolerations=tolerations(spec),
        host_ports=frozenset(_host_ports(spec)),
        anti_affinity=tuple(_anti_affinity(affinity)),
        constraints=tuple(constraints(spec)),
        gated=any(True for _ in spec.maps("schedulingGates")),
    )


def admitted(pod: Pod, spec: Fields, classes: Mapping[str, PriorityClass]) -> Pod:
    """The pod with what the API server's admission takes from the priority class, where the pod does not say so.

    Raises InputError for a class that neither the files nor Kubernetes have, if the pod has no priority of its own.
    """
    said = spec.value.get("priority") is not None
    of = classes.get(pod.priority_class, SYSTEM_CLASSES.get(pod.priority_class))
    if of is None:
        if pod.priority_class and not said:
            raise spec.refuse("priorityClassName", "spec.priority, or this PriorityClass in a file", pod.priority_class)
        return pod
    never = pod.preempts_never or (of.never and spec.value.get("preemptionPolicy") is None)
    return evolve(pod, priority=pod.priority if said else of.value, preempts_never=never)


def _host_ports(spec: Fields) -> Iterator[tuple[str, int]]:
    for container in spec.maps("containers"):
        for port in container.maps("ports"):
            number = port.number("hostPort")
            if number:
                yield port.text("protocol") or "TCP", number


def _anti_affinity(affinity: Fields) -> Iterator[AntiAffinity]:
    for term in affinity.map("podAntiAffinity").maps(REQUIRED):
        namespaces = term.value.get("namespaces") or []
        if not isinstance(namespaces, list) or not all(isinstance(each, str) for each in namespaces):
            raise term.refuse("namespaces", "a list of strings", namespaces)
        yield AntiAffinity(
            selector=label_selector(term, "labelSelector"),
            topology_key=term.text("topologyKey"),
            namespaces=tuple(namespaces),
            by_selector=term.value.get("namespaceSelector") is not None,
        )
