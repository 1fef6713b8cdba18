"""All rules of the system requeueing in a release, and what a queue is made with. Pure data."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from attrs import define, frozen

from model.releases import Release, has_rules, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.event_rules import EventRules
from model.scheduler.events_to_register import (
    NODE_AFFINITY,
    TAINT_TOLERATION,
    EventsToRegisterRules,
    HintedEventsRules,
    NodeUnschedulableRules,
    events_of_plugins,
)
from model.scheduler.filters import FilterRules
from model.scheduler.hint_functions import HintFunctionRules
from model.scheduler.inter_pod_affinity import InterPodEventsRules, InterPodHintRules
from model.scheduler.node_plugin_events import Events, NodePluginRules
from model.scheduler.queue.events import ClusterEvent, HintFunction, Registration, queue_after_backoff
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig
from model.scheduler.queueing_hint_map import build_queueing_hint_map
from model.scheduler.told_rules import AssignedPodRules, NodeDeletedRules
from model.systems.requeueing.scope import RequeueingScope


@frozen(slots=False, kw_only=True)
class BaseRules(
    QueueRules, NominatorRules, EventRules, EventsToRegisterRules, NodeUnschedulableRules, NodePluginRules,
    NodeDeletedRules, FilterRules, InterPodEventsRules,
):  # fmt: skip
    """The rules of every release."""


@frozen(slots=False, kw_only=True)
class HintRules(QueueingHintRules, HintFunctionRules, InterPodHintRules, HintedEventsRules, AssignedPodRules):
    """The rules that a release from 1.28 on has besides."""


@frozen
class RequeueingRules:
    """What a release does."""

    base: BaseRules
    # None: the release has no gate SchedulerQueueingHints.
    hints: HintRules | None

    def of_fields(self) -> dict[str, Any]:
        """All rules by field."""
        return vars(self.base) | (vars(self.hints) if self.hints is not None else {})


def requeueing_rules(release: Release) -> RequeueingRules:
    """The rules of a release."""
    hints = rules_for(HintRules, release) if has_rules(HintRules, release) else None
    return RequeueingRules(rules_for(BaseRules, release), hints)


# Of each plugin the fields of `HintFunctionRules` with its hint function for pods, "" for none, and for nodes.
HINTS: dict[str, tuple[str, str]] = {
    NODE_RESOURCES_FIT: ("fit_after_pod", "fit_after_node"),
    NODE_AFFINITY: ("", "affinity_after_node"),
    NODE_UNSCHEDULABLE: ("unschedulable_after_pod", "unschedulable_after_node"),
    TAINT_TOLERATION: ("taint_after_pod", "taint_after_node"),
    POD_TOPOLOGY_SPREAD: ("spread_after_pod", "spread_after_node"),
    INTER_POD_AFFINITY: ("interpod_after_pod", "interpod_after_node"),
}


@define(frozen=True, slots=False, eq=False)
class RequeueingSetup:
    """Scope and rules, and what follows from them."""

    scope: RequeueingScope
    rules: RequeueingRules

    @cached_property
    def hints(self) -> HintRules | None:
        """The rules of hints, None with the gate off."""
        return self.rules.hints if self.scope.gate else None

    @cached_property
    def queue(self) -> QueueSetup:
        """A queue without backoff: a pod that is moved is popped next."""
        config = QueueConfig(0, 0, cluster_event_map=tuple(self._registered()))
        return QueueSetup(self.rules.base, self.rules.base, config, self.rules.hints, self.hints is not None)

    @cached_property
    def checks_nodes(self) -> bool:
        """Whether `preCheckForNode` keeps pods from hearing of a node that would not take them."""
        if self.rules.base.pre_check(NodeInfo("n1")) is None:
            return False
        return self.hints is None or self.hints.pre_check_with_hints()

    def _registered(self) -> Iterator[Registration]:
        of_plugins = {plugin: events for plugin, events in self._events().items() if plugin in self.scope.plugins}
        of_1_28 = self.rules.hints
        if of_1_28 is not None:
            return build_queueing_hint_map(of_1_28, of_plugins, self._function)
        return (Registration(plugin, event) for plugin, events in of_plugins.items() for event in events)

    def _events(self) -> dict[str, Events]:
        """The events that each plugin names."""
        base, hints = self.rules.base, self.hints
        affinity = {INTER_POD_AFFINITY: base.interpod_events(hints is not None)}
        if hints is not None:
            return events_of_plugins(hints, True) | affinity
        return {
            NODE_RESOURCES_FIT: base.fit_events(),
            POD_TOPOLOGY_SPREAD: base.spread_events() or (),
            NODE_UNSCHEDULABLE: base.unschedulable_events(),
            NODE_AFFINITY: base.affinity_events(False),
            TAINT_TOLERATION: base.taint_events(False),
        } | affinity

    def _function(self, plugin: str, event: ClusterEvent) -> HintFunction:
        if self.hints is None:
            return queue_after_backoff
        of_pods, of_nodes = HINTS[plugin]
        field = of_nodes if event.resource == "Node" else of_pods
        function: HintFunction = getattr(self.hints, field) if field else queue_after_backoff
        return function
