"""Who is told that a node is gone, and that a bound pod came or changed, with the gate SchedulerQueueingHints on. Pure.

Go: `deleteNodeFromCache`, `addPodToCache` and `updatePodInCache` in pkg/scheduler/eventhandlers.go. What else handlers
do: `EventRules`.
"""

from collections.abc import Callable

from attrs import frozen

from model.objects import Pod
from model.scheduler.queue.events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_UPDATE,
    DELETE,
    ClusterEvent,
    pod_scheduling_properties_change,
)

NODE_DELETE = ClusterEvent("Node", DELETE, "NodeDelete")
Steps = tuple[str, ...]


def cache_alone() -> Steps:
    """No pod is told that a node is gone (up to 1.31, QUEUE-NODE-DELETE-EVENT)."""
    return ("cache",)


def queue_before_cache() -> Steps:
    """The event Node/Delete comes first, and then the cache forgets the node (1.32, #127464)."""
    return ("queue", "cache")


def cache_before_queue() -> Steps:
    """The cache forgets the node, and then comes the event. No release does so."""
    return ("cache", "queue")


def as_without_hints(old: Pod | None, new: Pod) -> None:
    """The gate changes nothing: `AssignedPodAdded` and `AssignedPodUpdated` pick pods that may care (up to 1.30)."""


def everybody_by_general_event(old: Pod | None, new: Pod) -> tuple[ClusterEvent, ...]:
    """Every pod is told AssignedPodUpdate, as often as properties changed (1.31)."""
    if old is None:
        return (ASSIGNED_POD_ADD,)
    return (ASSIGNED_POD_UPDATE,) * len(pod_scheduling_properties_change(old, new))


def everybody_by_property(old: Pod | None, new: Pod) -> tuple[ClusterEvent, ...]:
    """Every pod is told each property that changed (1.32)."""
    return (ASSIGNED_POD_ADD,) if old is None else pod_scheduling_properties_change(old, new)


@frozen(slots=False, kw_only=True)
class NodeDeletedRules:
    """What becomes of a node that is gone."""

    # "cache": the cache forgets the node; "queue": pods are moved by the event Node/Delete. In order.
    node_deleted: Callable[[], Steps]


@frozen(slots=False, kw_only=True)
class AssignedPodRules:
    """Who is told of a bound pod with the gate on (1.28 on)."""

    # The events by which every pod that waits is told of a bound pod, before and after; None before: the pod is new.
    # None: the handler does what it does with the gate off.
    assigned_pod_with_hints: Callable[[Pod | None, Pod], tuple[ClusterEvent, ...] | None]
