"""InterPodAffinity: what the plugin waits for, and its hint functions, release by release. Pure.

Go: `EventsToRegister`, `isSchedulableAfterPodChange` and `isSchedulableAfterNodeChange` in
pkg/scheduler/framework/plugins/interpodaffinity/plugin.go. See hint_functions.py for what a hint function is given.

A pod has at most one required term of each kind. A term names a label `app` of other pods, and `TERM_KEY`. What the
functions of 1.36 say of pods with a nominated node is left out.
"""

from collections.abc import Callable

from attrs import frozen

from model.scheduler.hint_functions import NodeHint, PodHint
from model.scheduler.hint_objects import HintedNode, HintedPod
from model.scheduler.node_plugin_events import Events
from model.scheduler.queue.events import (
    ADD,
    ALL,
    DELETE,
    UPDATE_NODE_LABEL,
    UPDATE_NODE_TAINT,
    UPDATE_POD_LABEL,
    Answer,
    ClusterEvent,
)  # fmt: skip

# The topologyKey of every term.
TERM_KEY = "zone"


def every_event(queueing_hints: bool) -> Events:
    """The plugin has no EventsToRegister (up to 1.21)."""
    return (ClusterEvent("*", ALL),)


def events_of_labels(queueing_hints: bool) -> Events:
    """Whatever happens to a pod; a node that joins, or its labels (1.22)."""
    return (ClusterEvent("Pod", ALL), ClusterEvent("Node", ADD | UPDATE_NODE_LABEL))


def events_of_labels_and_taints(queueing_hints: bool) -> Events:
    """The taints of a node as well, for the sake of `preCheckForNode` (1.30)."""
    return (ClusterEvent("Pod", ALL), ClusterEvent("Node", ADD | UPDATE_NODE_LABEL | UPDATE_NODE_TAINT))


def events_of_pod_labels(queueing_hints: bool) -> Events:
    """The same, but of a pod's updates only those of its labels (1.31)."""
    return (
        ClusterEvent("Pod", ADD | UPDATE_POD_LABEL | DELETE),
        ClusterEvent("Node", ADD | UPDATE_NODE_LABEL | UPDATE_NODE_TAINT),
    )


def events_without_taints_with_hints(queueing_hints: bool) -> Events:
    """The same, and with the gate no taints of a node (1.32, #127220)."""
    pods, nodes = events_of_pod_labels(queueing_hints)
    return (pods, ClusterEvent("Node", ADD | UPDATE_NODE_LABEL)) if queueing_hints else (pods, nodes)


def asked_for(app: str, pod: HintedPod) -> bool:
    """Whether the pod has the label that a term asks for; "" is no term."""
    return bool(app) and ("app", app) in pod.labels


def _changed_pod_suits(pod: HintedPod, old: HintedPod, new: HintedPod) -> Answer:
    """A bound pod comes to have the label of the affinity, or loses the label of the anti-affinity."""
    comes = not asked_for(pod.affinity_app, old) and asked_for(pod.affinity_app, new)
    goes = asked_for(pod.anti_affinity_app, old) and not asked_for(pod.anti_affinity_app, new)
    return "QueueAfterBackoff" if comes or goes else "QueueSkip"


def queue_if_bound_pod_suits(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """A bound pod comes that the affinity asks for, goes that the anti-affinity rejects, or changes so (1.31)."""
    if any(each is not None and not each.node_name for each in (old, new)):
        return "QueueSkip"
    if old is not None and new is not None:
        return _changed_pod_suits(pod, old, new)
    helps = asked_for(pod.affinity_app, new) if new is not None else _hated(pod, old)
    return "QueueAfterBackoff" if helps else "QueueSkip"


def _hated(pod: HintedPod, old: HintedPod | None) -> bool:
    return old is not None and asked_for(pod.anti_affinity_app, old)


def queue_if_bound_or_own_pod_suits(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The same; the pod's own labels; a pod that goes whose anti-affinity rejects this one (1.36, #135325)."""
    if old is not None and new is not None and new.uid == pod.uid:
        return "QueueAfterBackoff"
    if new is None and old is not None and old.node_name and asked_for(old.anti_affinity_app, pod):
        return "QueueAfterBackoff"
    return queue_if_bound_pod_suits(pod, old, new)


def _terms(pod: HintedPod) -> bool:
    return bool(pod.affinity_app or pod.anti_affinity_app)


def queue_if_node_has_key(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The pod has a term, and the node has the topology key now (1.31)."""
    has = new is not None and TERM_KEY in dict(new.labels)
    return "QueueAfterBackoff" if has and _terms(pod) else "QueueSkip"


def queue_if_key_changes(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The key comes, for the affinity, or goes, for the anti-affinity; or changes; or a node joins (1.33, #127470)."""
    after = None if new is None else dict(new.labels).get(TERM_KEY)
    if old is None:
        joins = bool(pod.anti_affinity_app) or (bool(pod.affinity_app) and after is not None)
        return "QueueAfterBackoff" if joins else "QueueSkip"
    before = dict(old.labels).get(TERM_KEY)
    moves = before is not None and after is not None and before != after and _terms(pod)
    comes = bool(pod.affinity_app) and before is None and after is not None
    goes = bool(pod.anti_affinity_app) and before is not None and after is None
    return "QueueAfterBackoff" if moves or comes or goes else "QueueSkip"


@frozen(slots=False, kw_only=True)
class InterPodEventsRules:
    """The events that InterPodAffinity waits for; the flag says whether the gate SchedulerQueueingHints is on."""

    interpod_events: Callable[[bool], Events]


@frozen(slots=False, kw_only=True)
class InterPodAfterPodRules:
    """The hint function of InterPodAffinity for pods (1.28 on)."""

    interpod_after_pod: PodHint


@frozen(slots=False, kw_only=True)
class InterPodHintRules(InterPodAfterPodRules):
    """The hint functions of InterPodAffinity (1.28 on)."""

    interpod_after_node: NodeHint
