"""What the scheduler makes of the events that plugins wait for: the queue's `clusterEventMap`. Pure functions.

Go: `buildQueueingHintMap` in pkg/scheduler/scheduler.go, 1.28 on.
"""

from collections.abc import Callable, Iterator, Mapping

from attrs import frozen

from model.scheduler.cycle import EXTENDER_NAME
from model.scheduler.node_plugin_events import Events
from model.scheduler.queue.events import (
    ADD,
    ALL,
    UPDATE_NODE_TAINT,
    ClusterEvent,
    HintFunction,
    Registration,
    queue_after_backoff,
)

# A pod that an extender rejected waits for every event, if an extender is configured (`defaultEnqueueExtension` in
# framework/runtime/framework.go, #122022). Before, no pod is said to be rejected by an extender.
OF_EXTENDERS = (Registration(EXTENDER_NAME, ClusterEvent("*", ALL)),)


def nothing_is_added(events: Events) -> Events:
    """A plugin waits for the events that it names (up to 1.29)."""
    return ()


def node_taints_are_added(events: Events) -> Events:
    """A plugin that names nodes that join, and no taints of nodes, waits for the taints too (1.30, #109437).

    `preCheckForNode` may have kept the joining node from the plugin. The release adds the event whether or not there
    is that check.
    """
    of_nodes = [event.action for event in events if event.resource == "Node"]
    joins, taints = (any(action & part for action in of_nodes) for part in (ADD, UPDATE_NODE_TAINT))
    return (ClusterEvent("Node", UPDATE_NODE_TAINT),) if joins and not taints else ()


@frozen(slots=False, kw_only=True)
class QueueingHintMapRules:
    """The events that a plugin waits for and does not name (1.28 on)."""

    # The events besides those that the plugin names, which are given. No hint function is asked of them.
    events_added: Callable[[Events], Events]


def _queue(plugin: str, event: ClusterEvent) -> HintFunction:
    return queue_after_backoff


def build_queueing_hint_map(
    rules: QueueingHintMapRules,
    of_plugins: Mapping[str, Events],
    hint: Callable[[str, ClusterEvent], HintFunction] = _queue,
) -> Iterator[Registration]:
    """What each plugin waits for, for `QueueConfig.cluster_event_map`.

    `of_plugins`: the events that each plugin names, by plugin. `hint`: the hint function of a plugin for an event.
    """
    for plugin, events in of_plugins.items():
        yield from (Registration(plugin, event, hint(plugin, event)) for event in events)
        yield from (Registration(plugin, event) for event in rules.events_added(events))
