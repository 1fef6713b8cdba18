"""What the plugins of a release wait for in a run, with the release's hint functions and the check of nodes."""

from collections.abc import Callable
from typing import Any

from attrs import fields, frozen

from model.objects import Node, Pod
from model.releases import Release, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.event_rules import EventRules
from model.scheduler.events_to_register import HintedEventsRules, events_of_plugins
from model.scheduler.filters import passes_pre_check
from model.scheduler.hint_functions import HintFunctionRules
from model.scheduler.hint_objects import HintedNode, hinted_pod
from model.scheduler.queue.events import Answer, ClusterEvent, HintFunction, Registration, queue_after_backoff
from model.scheduler.queue.rules import PreEnqueueCheck
from model.scheduler.queueing_hint_map import build_queueing_hint_map
from model.systems.requeueing.rules import HINTS

_OF_NODE = tuple(field.name for field in fields(Node))


def hinted_node(node: Node) -> HintedNode:
    """The node, with no labels and no taint if it has no such fields."""
    return node if isinstance(node, HintedNode) else HintedNode(*(getattr(node, name) for name in _OF_NODE))


@frozen
class _Hint:
    """A plugin's hint function, asked of pods and nodes as a run has them."""

    rule: Callable[..., Answer]
    of: Callable[[Any], Any]

    def __call__(self, pod: Pod, old: Any, new: Any) -> Answer:
        return self.rule(hinted_pod(pod), *(None if each is None else self.of(each) for each in (old, new)))


def registrations(release: Release, queueing_hints: bool, functions: bool) -> tuple[Registration, ...]:
    """What the plugins wait for, with the gate SchedulerQueueingHints on or off.

    `functions`: whether the release's hint functions are asked with the gate on; if not, each event counts as worth a
    try.
    """
    rules, hints = rules_for(HintedEventsRules, release), rules_for(HintFunctionRules, release)

    def hint(plugin: str, event: ClusterEvent) -> HintFunction:
        if not (queueing_hints and functions) or plugin not in HINTS:
            return queue_after_backoff
        of_pods, of_nodes = HINTS[plugin]
        field, of = (of_nodes, hinted_node) if event.resource == "Node" else (of_pods, hinted_pod)
        return _Hint(getattr(hints, field), of) if field else queue_after_backoff

    return tuple(build_queueing_hint_map(rules, events_of_plugins(rules, queueing_hints), hint))


def pre_check(events: EventRules, queueing_hints: bool, release: Release) -> Callable[[Node], PreEnqueueCheck] | None:
    """What `preCheckForNode` asks of a node, with nothing on the node; None: the release has no such check."""
    if events.pre_check(NodeInfo("n1")) is None:
        return None
    if queueing_hints and not rules_for(HintFunctionRules, release).pre_check_with_hints():
        return None
    return lambda node: lambda pod: passes_pre_check(hinted_pod(pod), hinted_node(node), ())
