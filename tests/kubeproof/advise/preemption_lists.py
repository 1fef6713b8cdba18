"""Pods, nodes, budgets and priority classes as kubectl prints them, and what is answered about them."""

from typing import Any

from kubeproof.advise.preemption import PreemptionAnswer, analyse, picture_of, pod_named
from kubeproof.advise.preemption.picture import Picture
from model.releases import parse_release


def pod(name: str, node: str | None = None, cpu: str = "1", priority: Any = 0, at: int = 0, **more: Any) -> Any:
    """A pod of namespace web that began at second `at`. `more`: fields of spec, except labels, metadata, status."""
    labels, metadata, status = more.pop("labels", {"app": "a"}), more.pop("metadata", {}), more.pop("status", {})
    started = {"startTime": f"2024-01-01T00:{at // 60:02d}:{at % 60:02d}Z"} if node else {}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "web", "labels": labels} | metadata,
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], "nodeName": node, "priority": priority}
        | more,
        "status": {"phase": "Running" if node else "Pending"} | started | status,
    }


def waiting(cpu: str = "2", priority: Any = 100, **more: Any) -> Any:
    """The pod web/p, which waits."""
    return pod("p", cpu=cpu, priority=priority, **more)


def node(name: str = "n1", cpu: str = "2", labels: Any = None, **spec: Any) -> Any:
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": "10"}
    metadata = {"name": name, "labels": labels or {}}
    return {"kind": "Node", "metadata": metadata, "spec": spec, "status": {"allocatable": allocatable}}


def budget(allowed: int = 0, selector: Any = "a", version: str = "policy/v1", **status: Any) -> Any:
    """The budget web/b; a text as selector is the label app."""
    spec = {"selector": {"matchLabels": {"app": selector}} if isinstance(selector, str) else selector}
    return {
        "apiVersion": version,
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "web"},
        "spec": spec,
        "status": {"disruptionsAllowed": allowed} | status,
    }


def picture(*items: Any) -> Picture:
    return picture_of([({"kind": "List", "items": list(items)}, "f.json")])


def ask(*items: Any, release: str = "1.31.13", name: str = "web/p") -> PreemptionAnswer:
    read = picture(*items)
    return analyse(read, pod_named(read, name), parse_release(release))


def going(answer: PreemptionAnswer) -> dict[str, list[list[str]]]:
    """Of each node that may be chosen the names of the victims of each answer."""
    found: dict[str, list[list[str]]] = {}
    for eviction in answer.evictions:
        found.setdefault(eviction.node, []).append([victim.pod.removeprefix("web/") for victim in eviction.victims])
    return found


def says(answer: PreemptionAnswer) -> dict[str, str]:
    return {each.node: each.says for each in answer.nodes}
