"""Pods, nodes and events as kubectl prints them, and what is answered about them."""

from typing import Any

from kubeproof.advise.pod_events import PodEventsAnswer, analyse, picture_of
from model.releases import known_release

SHORT = "0/2 nodes are available: 2 Insufficient cpu."
T0, T1, T2, T9 = ("2020-12-14T09:00:00Z", "2020-12-14T09:00:05Z", "2020-12-14T09:00:09Z", "2020-12-14T09:30:00Z")


def condition(status: str, since: str, message: str = "") -> dict[str, Any]:
    return {"type": "PodScheduled", "status": status, "lastTransitionTime": since, "message": message}


def pod(name: str = "p", node: str | None = None, nominated: str | None = None, cpu: str = "1", **more: Any) -> Any:
    """A pod of namespace web. `more`: fields of spec, except phase, since, message, uid, namespace and metadata."""
    uid, namespace = more.pop("uid", f"u-{name}"), more.pop("namespace", "web")
    since, message = more.pop("since", T0), more.pop("message", "")
    phase = more.pop("phase", "Running" if node else "Pending")
    conditions = [condition("True" if node else "False", since, message)] if since else []
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": T0}
        | more.pop("metadata", {}),
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], "nodeName": node} | more,
        "status": {"phase": phase, "nominatedNodeName": nominated, "conditions": conditions},
    }


def node(name: str, cpu: str = "4", created: str = "2020-01-01T00:00:00Z", **spec: Any) -> Any:
    status = {"allocatable": {"cpu": cpu, "pods": "10"}, "conditions": [{"lastHeartbeatTime": T9}]}
    metadata = {"name": name, "creationTimestamp": created, "labels": {"disk": "ssd"}}
    return {"kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def event(reason: str, message: str, last: str | None, of: str = "p", **more: Any) -> Any:
    """A v1 Event of a pod of namespace web; `first` and `last` differ if both are given."""
    by, uid = more.pop("by", "default-scheduler"), more.pop("uid", f"u-{of}")
    first, kind = more.pop("first", last), more.pop("kind", "Pod")
    return {
        "kind": "Event",
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": kind, "namespace": "web", "name": of, "uid": uid},
        "firstTimestamp": first,
        "lastTimestamp": last,
        "source": {"component": by, "host": more.pop("host", "")},
        **more,
    }


def bound(at: str = T0, to: str = "n1", **more: Any) -> Any:
    return event("Scheduled", more.pop("message", f"Successfully assigned web/p to {to}"), at, **more)


def failed(at: str | None = T1, message: str = SHORT, **more: Any) -> Any:
    return event("FailedScheduling", message, at, **more)


def ask(*items: Any, release: str | None = None) -> PodEventsAnswer:
    picture = picture_of([({"kind": "List", "items": list(items)}, "f")])
    return analyse(picture, None if release is None else known_release(release))


def kinds(answer: PodEventsAnswer) -> list[str]:
    return [finding.kind for finding in answer.findings]


def bugs(answer: PodEventsAnswer) -> list[str]:
    return [bug.bug for bug in answer.findings[0].bugs]


def notes(answer: PodEventsAnswer) -> str:
    return " | ".join(note.what for note in (*answer.normal, *answer.not_judged))


SYSTEM = pod("proxy", "n1", cpu="0", namespace="kube-system")
TWO = (node("n1"), node("n2"), SYSTEM)
