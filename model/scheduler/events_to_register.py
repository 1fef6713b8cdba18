"""Which cluster events four plugins of the scheduler wait for, release by release. Pure data.

Go: `EventsToRegister` in pkg/scheduler/framework/plugins/noderesources/fit.go, podtopologyspread/plugin.go,
nodeunschedulable/node_unschedulable.go and schedulinggates/scheduling_gates.go; 1.21 to 1.31, of the last to 1.32. The
queue's `clusterEventMap` is made of them once, at the start. The queue compares events with it from 1.21 on
(`queue_events.worth_requeuing`). Of the first two plugins the rules stand beside the system scheduling, whose nodes
have no taints and whose pods no spread constraints: there `REGISTERED` stands for both.
"""

from collections.abc import Callable

from attrs import frozen

from model.scheduler.cycle import NODE_RESOURCES_FIT
from model.scheduler.queue.events import (
    ADD,
    ALL,
    DELETE,
    UPDATE,
    UPDATE_NODE_ALLOCATABLE,
    UPDATE_NODE_LABEL,
    UPDATE_NODE_TAINT,
    UPDATE_POD_LABEL,
    ClusterEvent,
    Registration,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD

Events = tuple[ClusterEvent, ...]


def every_event() -> Events:
    """A plugin without EventsToRegister waits for every event, as all pods did up to 1.20."""
    return (ClusterEvent("*", ALL),)


def fit_events_of_allocatable() -> Events:
    """NodeResourcesFit: a node that joins, or has more or less to give; a pod that goes (1.21)."""
    return (ClusterEvent("Pod", DELETE), ClusterEvent("Node", ADD | UPDATE_NODE_ALLOCATABLE))


def fit_events_of_node_updates() -> Events:
    """NodeResourcesFit: any update of a node, because `preCheck` may have kept its joining away (#109442)."""
    return (ClusterEvent("Pod", DELETE), ClusterEvent("Node", ADD | UPDATE))


def unschedulable_events_of_taints() -> Events:
    """NodeUnschedulable: a node that joins, or that is uncordoned, which counts as a change of its taints."""
    return (ClusterEvent("Node", ADD | UPDATE_NODE_TAINT),)


def unschedulable_events_of_node_updates() -> Events:
    """NodeUnschedulable: any update of a node (1.30)."""
    return (ClusterEvent("Node", ADD | UPDATE),)


def no_spread_events() -> None:
    """There are no topology spread constraints (up to 1.15)."""


def spread_events_of_labels() -> Events:
    """PodTopologySpread: whatever happens to a pod; a node that joins or goes, or its labels."""
    return (ClusterEvent("Pod", ALL), ClusterEvent("Node", ADD | DELETE | UPDATE_NODE_LABEL))


def spread_events_of_taints() -> Events:
    """PodTopologySpread: the taints of a node as well, for the sake of `preCheck` (1.30, #122292)."""
    return (ClusterEvent("Pod", ALL), ClusterEvent("Node", ADD | DELETE | UPDATE_NODE_LABEL | UPDATE_NODE_TAINT))


def spread_events_of_pod_labels() -> Events:
    """PodTopologySpread: the same, but of a pod's updates only those of its labels (1.31)."""
    return (
        ClusterEvent("Pod", ADD | UPDATE_POD_LABEL | DELETE),
        ClusterEvent("Node", ADD | DELETE | UPDATE_NODE_LABEL | UPDATE_NODE_TAINT),
    )


def gates_events_of_updates(queueing_hints: bool) -> Events:
    """SchedulingGates: any update of a pod may take off the pod's gates (1.28)."""
    return (ClusterEvent("Pod", UPDATE),)


def no_gates_events(queueing_hints: bool) -> Events:
    """SchedulingGates: none; the queue itself sees that a pod's gates go (1.29)."""
    return ()


def gates_events_of_updates_with_hints(queueing_hints: bool) -> Events:
    """SchedulingGates: any update of a pod, with the gate SchedulerQueueingHints on (1.31, #122234)."""
    return gates_events_of_updates(queueing_hints) if queueing_hints else ()


def gates_events_of_gates(queueing_hints: bool) -> Events:
    """SchedulingGates: only that a pod's gates went, which is true of no modelled pod (1.32)."""
    return ()


@frozen(slots=False, kw_only=True)
class EventsToRegisterRules:
    """The events that the plugins wait for."""

    # Of NodeResourcesFit.
    fit_events: Callable[[], Events]
    # Of PodTopologySpread; None: there is no such plugin.
    spread_events: Callable[[], Events | None]


@frozen(slots=False, kw_only=True)
class NodeUnschedulableRules:
    """The events that NodeUnschedulable waits for."""

    # See `events_to_register`. Read where nodes may be cordoned.
    unschedulable_events: Callable[[], Events]


@frozen(slots=False, kw_only=True)
class SchedulingGatesRules:
    """The events that SchedulingGates waits for (1.28 on)."""

    # See `events_to_register`; the flag says whether the gate SchedulerQueueingHints is on. Read where it may be on.
    gates_events: Callable[[bool], Events]


def registrations(rules: EventsToRegisterRules) -> tuple[Registration, ...]:
    """What both plugins wait for, for `QueueConfig.cluster_event_map`."""
    of_plugins = ((NODE_RESOURCES_FIT, rules.fit_events()), (POD_TOPOLOGY_SPREAD, rules.spread_events() or ()))
    return tuple(Registration(plugin, event) for plugin, events in of_plugins for event in events)
