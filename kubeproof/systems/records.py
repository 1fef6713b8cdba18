"""How records of a state are written in a trace: short, without what goes without saying. Pure functions.

A type that is not here is written by its fields, those left out that have their default value (report/changes.py).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheSnapshot, PodState
from model.scheduler.calls import Call
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.state import BackoffEntry, QueuedPodInfo
from model.systems.scheduling.api_server import CPU
from model.systems.scheduling.records import Goroutine, NodeEvent, PodEvent


def _with(subject: str, parts: Iterable[str]) -> str:
    told = ", ".join(part for part in parts if part)
    return f"{subject} ({told})" if told else subject


def pod(value: Pod) -> str:
    """The uid, which has the name in it, and what differs from a pod just created; of a mere reference, the name."""
    return _with(value.uid or value.name, _of_pod(value))


def _of_pod(value: Pod) -> list[str]:
    parts = [
        f"priority {value.priority}" if value.priority else "",
        f"cpu {value.cpu_milli}m" if value.cpu_milli not in (0, CPU) else "",
        f"on {value.node_name}" if value.node_name else "",
        f"nominated {value.nominated_node_name}" if value.nominated_node_name else "",
        *(f"label {key}={text}" for key, text in value.labels),
        *(f"annotation {key}={text}" for key, text in value.annotations),
        f"affinity to app={value.affinity_app}" if value.affinity_app else "",
        f"tolerates {value.toleration}" if value.toleration else "",
        value.condition,
        f"resourceVersion {value.resource_version}" if value.resource_version else "",
        "terminating" if value.terminating else "",
        f"managed fields {value.managed_fields}" if value.managed_fields else "",
        f"finalizers {' '.join(value.finalizers)}" if value.finalizers else "",
    ]
    return [part for part in parts if part]


def _node(value: Node) -> str:
    version = f"resourceVersion {value.resource_version}" if value.resource_version else ""
    return _with(value.name, [f"zone {value.zone}" if value.zone else "", version])


def _queued(value: QueuedPodInfo) -> str:
    more = [
        f"{value.attempts} attempts" if value.attempts else "",
        f"rejected by {' '.join(sorted(value.unschedulable_plugins))}" if value.unschedulable_plugins else "",
        f"waits for {' '.join(sorted(value.pending_plugins))}" if value.pending_plugins else "",
    ]
    return _with(value.pod.uid or value.pod.name, [*_of_pod(value.pod), *more])


def _backoff(value: BackoffEntry) -> str:
    return _with(value.name, [f"{value.attempts} attempts"])


def _pod_state(value: PodState) -> str:
    known = value.pod.uid == value.key
    more = [
        "" if known else f"filed under {value.key}",
        "assumed" if value.assumed else "",
        "binding finished" if value.binding_finished else "",
        "" if value.deadline is None else f"until {value.deadline} ms",
    ]
    return _with(value.pod.uid, [*_of_pod(value.pod), *more])


def _node_info(value: NodeInfo) -> str:
    pods = ", ".join(each.uid for each in value.pods) or "no pods"
    return f"{value.name}{'' if value.node else ' (no Node)'}: {pods}"


def _snapshot(value: CacheSnapshot) -> str:
    return "; ".join(map(_node_info, value.node_info_map)) or "none"


def _goroutine(value: Goroutine) -> str:
    """What it still does, then for whom: the next step is what the reader waits for."""
    more = [
        f"to {value.node}" if value.node else "",
        f"fits {' '.join(value.candidates)}" if value.candidates else "",
        f"victims {' '.join(value.victims)}" if value.victims else "",
        f"clears the nomination of {' '.join(each.uid for each in value.clear)}" if value.clear else "",
        f"rejected by {' '.join(sorted(value.rejected_by))}" if value.rejected_by else "",
        "a move request came" if value.cycle < 0 else "",
    ]
    subject = value.pod.uid or value.pod.name
    return f"{_with(subject, [*_of_pod(value.pod), *more])}, next {', '.join(value.steps) or 'nothing'}"


def _pod_event(value: PodEvent) -> str:
    return f"{value.kind} {pod(value.pod)}" + (" (final state unknown)" if value.final_state_unknown else "")


def _notification(value: PodNotification) -> str:
    kind = "add" if value.old is None else "delete" if value.new is None else "update"
    told = value.new or value.old
    unknown = " (final state unknown)" if value.final_state_unknown else ""
    return f"{kind} {pod(told) if told else ''}{unknown}"


WORDS: Mapping[type, Callable[[Any], str]] = {
    Pod: pod,
    Node: _node,
    QueuedPodInfo: _queued,
    BackoffEntry: _backoff,
    PodState: _pod_state,
    NodeInfo: _node_info,
    CacheSnapshot: _snapshot,
    Goroutine: _goroutine,
    PodEvent: _pod_event,
    NodeEvent: lambda event: f"{event.kind} {_node(event.node)}",
    PodNotification: _notification,
    ClusterEvent: lambda event: event.label or str(event.resource),
    Call: str,
}
# Changes of these are told as a whole: field by field they say less.
WHOLE = frozenset({CacheSnapshot, BackoffEntry})
