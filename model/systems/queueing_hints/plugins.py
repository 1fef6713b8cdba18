"""The plugins of the system queueing-hints: which of them reject a pod, and what each waits for. Pure functions."""

from collections.abc import Callable, Iterator
from typing import Any

from model.go.errors import GoError
from model.objects import Pod
from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT
from model.scheduler.events_to_register import NODE_AFFINITY, TAINT_TOLERATION
from model.scheduler.hint_functions import queue_always
from model.scheduler.hint_objects import OfPods
from model.scheduler.node_plugin_events import Events
from model.scheduler.queue.events import (
    ADD,
    DELETE,
    NODE_ALLOCATABLE_CHANGE,
    NODE_LABEL_CHANGE,
    NODE_TAINT_CHANGE,
    RESOURCE_CLAIM_UPDATE,
    UPDATE,
    Answer,
    ClusterEvent,
    HintFunction,
    Registration,
    queue_after_backoff,
    queue_immediately,
)
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES, SCHEDULING_GATES
from model.scheduler.queueing_hint_map import build_queueing_hint_map
from model.systems.queueing_hints.records import QueueingHints
from model.systems.queueing_hints.scope import QueueingHintsScope
from model.which_rule import is_one_of

# The plugins that may reject a pod, in this order, and the event by which each hears that its condition has changed.
PLUGINS: tuple[tuple[str, ClusterEvent], ...] = (
    (NODE_RESOURCES_FIT, NODE_ALLOCATABLE_CHANGE),
    (NODE_AFFINITY, NODE_LABEL_CHANGE),
    (TAINT_TOLERATION, NODE_TAINT_CHANGE),
)
# The plugin that has a pod wait at Permit. It waits for other pods of the group.
PERMIT = "Coscheduling"
# The plugin that leaves a pod pending in Reserve, and its event. Up to 1.31 it waits there for a driver to allocate.
# From 1.32 on no plugin of Kubernetes itself leaves a pod pending; one from outside may.
PENDING: tuple[str, ClusterEvent] = (DYNAMIC_RESOURCES, RESOURCE_CLAIM_UPDATE)
# The taint that all nodes have, with the power `tolerations`.
TAINT = "example.com/taint"
# The name of the pod of others, with the power `assigned`. It is bound from the first on.
OTHER = "q1"
# The value of label `app` that the affinity of a pod asks for, and the pod of others may have.
APP = "web"
# How much the pod of others takes of the node if it fills the node.
FILLS = 8_000
# The object of an event that a hint function cannot read: it answers an error.
UNREADABLE = "unreadable"
# In the order in which the filters run.
_FILTERS = (TAINT_TOLERATION, NODE_AFFINITY, NODE_RESOURCES_FIT, INTER_POD_AFFINITY)
# The filters that `preCheckForNode` asks too.
_CHECKED = frozenset({TAINT_TOLERATION, NODE_AFFINITY, NODE_RESOURCES_FIT})


def rejecting(state: QueueingHints, pod: Pod) -> tuple[str, ...]:
    """The plugins that would reject this version of the pod in Filter, in the order in which they run."""
    found = {plugin for (plugin, _), holds in zip(PLUGINS, state.conditions, strict=False) if not holds}
    if state.tainted and pod.toleration != TAINT:
        found.add(TAINT_TOLERATION)
    others = [each.pod for each in state.cache.pod_states if each.pod.name == OTHER]
    if any(other.cpu_milli >= FILLS for other in others):
        found.add(NODE_RESOURCES_FIT)
    if pod.affinity_app and not any(("app", pod.affinity_app) in other.labels for other in others):
        found.add(INTER_POD_AFFINITY)
    return tuple(plugin for plugin in _FILTERS if plugin in found)


def passes_pre_check(state: QueueingHints, pod: Pod) -> bool:
    """Whether `preCheckForNode` lets the pod hear of an event of the one node."""
    return _CHECKED.isdisjoint(rejecting(state, pod))


def error_of_unreadable(pod: Any, old: Any, new: Any) -> Answer:
    """Each such event may help. Of an object that the function cannot read it answers an error."""
    return GoError("the object cannot be read") if new == UNREADABLE else "QueueAfterBackoff"


def _of_pods(rule: Callable[..., Answer]) -> HintFunction:
    """The hint function, which keeps no objects where they do not matter."""
    return queue_after_backoff if is_one_of(rule, (queue_always,)) else OfPods(rule)


def registrations(scope: QueueingHintsScope, rules: Any, gate: bool) -> tuple[Registration, ...]:
    """What the plugins wait for: `rules` are those of the system, `gate` is SchedulerQueueingHints.

    A plugin that waits for its condition says of each event that a try is worth it.
    """
    return (
        *_of_assigned_pods(scope, rules, gate),
        *_of_conditions(scope, rules, gate),
        *_of_others(scope, rules, gate),
    )


def _of_conditions(scope: QueueingHintsScope, rules: Any, gate: bool) -> Iterator[Registration]:
    """With `pre_check` what the release registers: a plugin may have to hear of changes that are another plugin's."""
    # With the gate off no hint function of a plugin is asked.
    hint = error_of_unreadable if gate and scope.hint_errors else queue_after_backoff
    if not scope.pre_check:
        yield from (Registration(plugin, event, hint) for plugin, event in PLUGINS[: scope.plugins])
        return
    named = {
        NODE_RESOURCES_FIT: _of_fit(rules, gate),
        NODE_AFFINITY: rules.affinity_events(gate),
        TAINT_TOLERATION: rules.taint_events(gate),
        INTER_POD_AFFINITY: rules.interpod_events(gate),
    }
    plugins = [plugin for plugin, _ in PLUGINS[: scope.plugins]] + [INTER_POD_AFFINITY] * bool(scope.assigned)
    of_nodes = {plugin: tuple(event for event in named[plugin] if event.resource == "Node") for plugin in plugins}
    yield from build_queueing_hint_map(rules, of_nodes, lambda plugin, event: hint)


def _of_fit(rules: Any, gate: bool) -> Events:
    """The events that NodeResourcesFit waits for."""
    events: Events = rules.fit_events()
    return rules.fit_events_with_hints(events) if gate else events


def _of_assigned_pods(scope: QueueingHintsScope, rules: Any, gate: bool) -> Iterator[Registration]:
    """What the coming and going of assigned pods, and the update of a pod itself, may help."""
    if scope.plugins and not scope.assigned:
        yield Registration(NODE_RESOURCES_FIT, ClusterEvent("Pod", DELETE))
    if scope.assigned:
        hint = _of_pods(rules.fit_after_pod) if gate else queue_after_backoff
        events = (event for event in _of_fit(rules, gate) if event.resource == "Pod")
        yield from (Registration(NODE_RESOURCES_FIT, event, hint) for event in events)
        hint = _of_pods(rules.interpod_after_pod) if gate else queue_after_backoff
        events = (event for event in rules.interpod_events(gate) if event.resource == "Pod")
        yield from (Registration(INTER_POD_AFFINITY, event, hint) for event in events)
    if scope.tolerations:
        hint = _of_pods(rules.taint_after_pod) if gate else queue_after_backoff
        events = (event for event in rules.taint_events(gate) if event.resource == "Pod")
        yield from (Registration(TAINT_TOLERATION, event, hint) for event in events)


def _of_others(scope: QueueingHintsScope, rules: Any, gate: bool) -> Iterator[Registration]:
    if scope.permits:
        yield Registration(PERMIT, ClusterEvent("Pod", ADD))
    if scope.gates:
        yield from (Registration(SCHEDULING_GATES, event) for event in rules.gates_events(gate))
    if scope.claims or scope.pending:
        # Of these functions 1.28 lets the pod back off no more; later it is the status Pending that does.
        hint = queue_immediately if gate else queue_after_backoff
        yield Registration(DYNAMIC_RESOURCES, ClusterEvent("ResourceClaim", ADD | UPDATE), hint)
