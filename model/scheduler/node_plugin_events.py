"""Which events of nodes NodeAffinity and TaintToleration wait for, release by release. Pure data.

Go: `EventsToRegister` in pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go and
tainttoleration/taint_toleration.go. Those of other plugins, and what is made of all: events_to_register.py.
"""

from collections.abc import Callable

from attrs import frozen

from model.scheduler.queue.events import (
    ADD,
    ALL,
    UPDATE,
    UPDATE_NODE_LABEL,
    UPDATE_NODE_TAINT,
    UPDATE_POD_TOLERATIONS,
    ClusterEvent,
)  # fmt: skip

Events = tuple[ClusterEvent, ...]


def every_event_with_gate(queueing_hints: bool) -> Events:
    """A plugin without EventsToRegister waits for every event: so both up to 1.21."""
    return (ClusterEvent("*", ALL),)


def affinity_events_of_labels_alone(queueing_hints: bool) -> Events:
    """NodeAffinity: a node that joins, or the labels of a node (1.22)."""
    return (ClusterEvent("Node", ADD | UPDATE_NODE_LABEL),)


def affinity_events_of_node_updates(queueing_hints: bool) -> Events:
    """NodeAffinity: a node that joins, or any update of a node, as `preCheck` may have kept its joining away (#109442).

    Up to 1.31.
    """
    return (ClusterEvent("Node", ADD | UPDATE),)


def affinity_events_of_labels(queueing_hints: bool) -> Events:
    """NodeAffinity: of a node's updates those of its labels, and without the gate of its taints (1.32, #127220)."""
    return (ClusterEvent("Node", ADD | UPDATE_NODE_LABEL | (0 if queueing_hints else UPDATE_NODE_TAINT)),)


def taint_events_of_taints_alone(queueing_hints: bool) -> Events:
    """TaintToleration: a node that joins, or the taints of a node (1.22)."""
    return (ClusterEvent("Node", ADD | UPDATE_NODE_TAINT),)


def taint_events_of_node_updates(queueing_hints: bool) -> Events:
    """TaintToleration: a node that joins, or any update of a node (#109442; up to 1.30)."""
    return (ClusterEvent("Node", ADD | UPDATE),)


def taint_events_of_updates_with_hints(queueing_hints: bool) -> Events:
    """TaintToleration: the same, and with the gate any update of a pod (1.31, #122234)."""
    nodes = taint_events_of_node_updates(queueing_hints)
    return (*nodes, ClusterEvent("Pod", UPDATE)) if queueing_hints else nodes


def taint_events_of_taints(queueing_hints: bool) -> Events:
    """TaintToleration: of a node's updates those of its taints, without the gate of its labels too (1.32, #127220).

    With the gate also a pod's new toleration.
    """
    if not queueing_hints:
        return (ClusterEvent("Node", ADD | UPDATE_NODE_TAINT | UPDATE_NODE_LABEL),)
    return (ClusterEvent("Node", ADD | UPDATE_NODE_TAINT), ClusterEvent("Pod", UPDATE_POD_TOLERATIONS))


@frozen(slots=False, kw_only=True)
class NodePluginRules:
    """The events that NodeAffinity and TaintToleration wait for; the flag says whether the gate is on."""

    affinity_events: Callable[[bool], Events]
    taint_events: Callable[[bool], Events]
