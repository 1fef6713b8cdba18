"""Which cluster events six plugins of the scheduler wait for, release by release. Pure data.

Go: `EventsToRegister` in pkg/scheduler/framework/plugins/noderesources/fit.go, podtopologyspread/plugin.go,
nodeunschedulable/node_unschedulable.go, nodeaffinity/node_affinity.go, tainttoleration/taint_toleration.go and
schedulinggates/scheduling_gates.go; 1.21 to 1.32, of the last from 1.28 on. The queue's `clusterEventMap` is made
of them once, at the start (queueing_hint_map.py). The queue compares events with it from 1.21 on
(`worth_requeuing` in queue/events.py).

A plugin asks of any event that a new node might have brought, because `preCheck` may have kept the new node from it
(QUEUE-PRECHECK-MISS). From 1.32 on the gate SchedulerQueueingHints switches that check off, and these events too
(#127109, #127220): `HintedEventsRules` has what the gate changes.
"""

from collections.abc import Callable

from attrs import frozen

from model.scheduler.cycle import NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.node_plugin_events import Events, NodePluginRules
from model.scheduler.queue.events import (
    ADD,
    ALL,
    DELETE,
    UPDATE,
    UPDATE_NODE_ALLOCATABLE,
    UPDATE_NODE_LABEL,
    UPDATE_NODE_TAINT,
    UPDATE_POD_LABEL,
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
    UPDATE_POD_TOLERATIONS,
    ClusterEvent,
    Registration,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.pre_enqueue import SCHEDULING_GATES
from model.scheduler.queueing_hint_map import QueueingHintMapRules, build_queueing_hint_map

NODE_AFFINITY = "NodeAffinity"
TAINT_TOLERATION = "TaintToleration"


def every_event() -> Events:
    """A plugin without EventsToRegister waits for every event, as all pods did up to 1.20."""
    return (ClusterEvent("*", ALL),)


def fit_events_of_allocatable() -> Events:
    """NodeResourcesFit: a node that joins, or has more or less to give; a pod that goes (1.21)."""
    return (ClusterEvent("Pod", DELETE), ClusterEvent("Node", ADD | UPDATE_NODE_ALLOCATABLE))


def fit_events_of_node_updates() -> Events:
    """NodeResourcesFit: any update of a node, because `preCheck` may have kept its joining away (#109442)."""
    return (ClusterEvent("Pod", DELETE), ClusterEvent("Node", ADD | UPDATE))


def fit_events_of_node_fields() -> Events:
    """NodeResourcesFit: the same, but of a node's updates not those of its conditions (1.32, #127220)."""
    fields = UPDATE_NODE_ALLOCATABLE | UPDATE_NODE_TAINT | UPDATE_NODE_LABEL
    return (ClusterEvent("Pod", DELETE), ClusterEvent("Node", ADD | fields))


def unschedulable_events_of_taints() -> Events:
    """NodeUnschedulable: a node that joins, or that is uncordoned, which counts as a change of its taints."""
    return (ClusterEvent("Node", ADD | UPDATE_NODE_TAINT),)


def unschedulable_events_of_node_updates() -> Events:
    """NodeUnschedulable: any update of a node (1.30)."""
    return (ClusterEvent("Node", ADD | UPDATE),)


def unschedulable_events_of_taints_and_labels() -> Events:
    """NodeUnschedulable: of a node's updates those of its taints and labels (1.32, #127220, #127427)."""
    return (ClusterEvent("Node", ADD | UPDATE_NODE_TAINT | UPDATE_NODE_LABEL),)


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
    """SchedulingGates: that the last of a pod's gates went, with the gate SchedulerQueueingHints on (1.32)."""
    return (ClusterEvent("Pod", UPDATE_POD_SCHEDULING_GATES_ELIMINATED),) if queueing_hints else ()


def same_with_hints(events: Events) -> Events:
    """The gate SchedulerQueueingHints changes nothing (up to 1.31)."""
    return events


def fit_events_with_hints(events: Events) -> Events:
    """NodeResourcesFit: of a node's updates those of what it has to give (1.32, #127220)."""
    return fit_events_of_allocatable()


def unschedulable_events_with_hints(events: Events) -> Events:
    """NodeUnschedulable: of a node's updates those of its taints; a pod's new toleration (1.32, #127427)."""
    return (*unschedulable_events_of_taints(), ClusterEvent("Pod", UPDATE_POD_TOLERATIONS))


def spread_events_with_hints(events: Events) -> Events:
    """PodTopologySpread: a pod's new toleration too (1.32, #127447)."""
    pods, nodes = events
    return (ClusterEvent("Pod", pods.action | UPDATE_POD_TOLERATIONS), nodes)


@frozen(slots=False, kw_only=True)
class FitEventsRules:
    """The events that NodeResourcesFit waits for with the gate SchedulerQueueingHints off."""

    fit_events: Callable[[], Events]


@frozen(slots=False, kw_only=True)
class EventsToRegisterRules(FitEventsRules):
    """The events that two plugins wait for with the gate SchedulerQueueingHints off.

    The rules stand beside the system scheduling, whose nodes have no taints and whose pods no spread constraints.
    """

    # Of PodTopologySpread; None: there is no such plugin.
    spread_events: Callable[[], Events | None]


@frozen(slots=False, kw_only=True)
class NodeUnschedulableRules:
    """The events that NodeUnschedulable waits for with the gate off."""

    # See `events_to_register`. Read where nodes may be cordoned.
    unschedulable_events: Callable[[], Events]


@frozen(slots=False, kw_only=True)
class SchedulingGatesRules:
    """The events that SchedulingGates waits for (1.28 on)."""

    # See `events_to_register`; the flag says whether the gate SchedulerQueueingHints is on. Read where it may be on.
    gates_events: Callable[[bool], Events]


@frozen(slots=False, kw_only=True)
class FitEventsWithHintsRules:
    """The events that NodeResourcesFit waits for with the gate on, of those of `fit_events` (1.28 on)."""

    fit_events_with_hints: Callable[[Events], Events]


@frozen(slots=False, kw_only=True)
class HintedEventsRules(
    EventsToRegisterRules,
    FitEventsWithHintsRules,
    NodeUnschedulableRules,
    NodePluginRules,
    SchedulingGatesRules,
    QueueingHintMapRules,
):
    """The events that all six plugins wait for, with the gate SchedulerQueueingHints on or off (1.28 on)."""

    # With the gate on, of the events of `unschedulable_events` and `spread_events`.
    unschedulable_events_with_hints: Callable[[Events], Events]
    spread_events_with_hints: Callable[[Events], Events]


def registrations(rules: EventsToRegisterRules) -> tuple[Registration, ...]:
    """What both plugins wait for, for `QueueConfig.cluster_event_map`."""
    of_plugins = {NODE_RESOURCES_FIT: rules.fit_events(), POD_TOPOLOGY_SPREAD: rules.spread_events() or ()}
    return tuple(Registration(plugin, event) for plugin, events in of_plugins.items() for event in events)


def events_of_plugins(rules: HintedEventsRules, queueing_hints: bool) -> dict[str, Events]:
    """The events that each of the six plugins names, with the gate SchedulerQueueingHints on or off."""
    fit, cordon, spread = rules.fit_events(), rules.unschedulable_events(), rules.spread_events() or ()
    if queueing_hints:
        fit = rules.fit_events_with_hints(fit)
        cordon = rules.unschedulable_events_with_hints(cordon)
        spread = rules.spread_events_with_hints(spread)
    return {
        NODE_RESOURCES_FIT: fit,
        POD_TOPOLOGY_SPREAD: spread,
        NODE_UNSCHEDULABLE: cordon,
        NODE_AFFINITY: rules.affinity_events(queueing_hints),
        TAINT_TOLERATION: rules.taint_events(queueing_hints),
        SCHEDULING_GATES: rules.gates_events(queueing_hints),
    }


def registrations_with_gate(rules: HintedEventsRules, queueing_hints: bool) -> tuple[Registration, ...]:
    """What all six plugins wait for, with the gate SchedulerQueueingHints on or off."""
    return tuple(build_queueing_hint_map(rules, events_of_plugins(rules, queueing_hints)))
