"""The gate SchedulerQueueingHints in scheduling: its rules, and what the plugins wait for with the gate on. Pure.

In this system the gate is on from 1.32 on, where it is on by default and stays so. 1.28.0 to 1.28.4 had it on too: what
the queue does then is for the system queueing-hints to explore.
"""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.done import DoneRules
from model.scheduler.events_to_register import FitEventsRules, FitEventsWithHintsRules
from model.scheduler.hint_functions import NodeHint, PodHint, PreCheckWithHintsRules, queue_if_less_is_asked_for
from model.scheduler.hint_objects import OfNodes, OfPods
from model.scheduler.inter_pod_affinity import InterPodEventsRules, InterPodHintRules
from model.scheduler.node_plugin_events import Events
from model.scheduler.pod_handlers import AssumedPodDeletionRules, PodHandlerRules
from model.scheduler.queue.events import (
    DELETE,
    UPDATE_POD_SCALE_DOWN,
    ClusterEvent,
    HintFunction,
    Registration,
    queue_after_backoff,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.rules import QueueingHintRules
from model.scheduler.queueing_hint_map import QueueingHintMapRules, build_queueing_hint_map
from model.scheduler.told_rules import AssignedPodRules, NodeDeletedRules
from model.systems.scheduling.scope import SchedulingScope


@frozen(slots=False, kw_only=True)
class HintRules(
    QueueingHintRules,
    DoneRules,
    AssignedPodRules,
    PodHandlerRules,
    AssumedPodDeletionRules,
    NodeDeletedRules,
    PreCheckWithHintsRules,
    QueueingHintMapRules,
    FitEventsRules,
    FitEventsWithHintsRules,
    InterPodEventsRules,
    InterPodHintRules,
):
    """What the scheduler does with the gate on. Up to 1.31 the system asks `hints_stay_on`, `interpod_events` alone."""

    # Whether the gate is on by default in this release and in all later ones.
    hints_stay_on: Callable[[], bool]
    # As in `HintedEventsRules`.
    unschedulable_events_with_hints: Callable[[Events], Events]
    # As in `HintFunctionRules`.
    fit_after_pod: PodHint
    fit_after_node: NodeHint
    unschedulable_after_pod: PodHint
    unschedulable_after_node: NodeHint


# Only this plugin waits for nodes that go. It rejects no pod of the system.
OF_NODES_THAT_GO = (Registration(POD_TOPOLOGY_SPREAD, ClusterEvent("Node", DELETE)),)


def registrations(scope: SchedulingScope, rules: Any) -> tuple[Registration, ...]:
    """What the plugins wait for that may reject a pod in the scope, with their hint functions; and what keeps an event.

    The queue keeps an event for pods in flight if a plugin of the default profile waits for the event.

    With `shrinks` the gate InPlacePodVerticalScaling is on, which has NodeResourcesFit wait for pods that ask for less.
    """
    hints: dict[tuple[str, str], HintFunction] = {
        (NODE_RESOURCES_FIT, "Pod"): OfPods(rules.fit_after_pod),
        (NODE_RESOURCES_FIT, "Node"): OfNodes(rules.fit_after_node),
    }
    named = {
        NODE_RESOURCES_FIT: rules.fit_events_with_hints(rules.fit_events()),
        INTER_POD_AFFINITY: rules.interpod_events(True),
    }
    if scope.cordons:
        named[NODE_UNSCHEDULABLE] = rules.unschedulable_events_with_hints(rules.unschedulable_events())
        hints[NODE_UNSCHEDULABLE, "Pod"] = OfPods(rules.unschedulable_after_pod)
        hints[NODE_UNSCHEDULABLE, "Node"] = OfNodes(rules.unschedulable_after_node)
    if scope.anti_affinity:
        hints[INTER_POD_AFFINITY, "Pod"] = OfPods(rules.interpod_after_pod)
        hints[INTER_POD_AFFINITY, "Node"] = OfNodes(rules.interpod_after_node)

    def hint(plugin: str, event: ClusterEvent) -> HintFunction:
        return hints.get((plugin, event.resource), queue_after_backoff)

    found = tuple(build_queueing_hint_map(rules, named, hint))
    if scope.shrinks:
        less = ClusterEvent("Pod", UPDATE_POD_SCALE_DOWN)
        found += (Registration(NODE_RESOURCES_FIT, less, OfPods(queue_if_less_is_asked_for)),)
    return (*found, *OF_NODES_THAT_GO)
