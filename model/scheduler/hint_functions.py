"""The hint functions of the scheduler's plugins: may this change of an object make this pod schedulable? Pure.

Go: `isSchedulableAfter…` in pkg/scheduler/framework/plugins/noderesources/fit.go, nodeaffinity/node_affinity.go,
nodeunschedulable/node_unschedulable.go, tainttoleration/taint_toleration.go, podtopologyspread/plugin.go and
schedulinggates/scheduling_gates.go. `isPodWorthRequeuing` of the queue calls them, of the plugins that rejected the pod
and wait for the event, under `PriorityQueue.lock`, and only with the gate SchedulerQueueingHints on. Which release has
which function: rows.py; which events each plugin waits for: events_to_register.py.

A function is given the pod that waits, and the object before and after the event: None before for a new object, None
after for one that is gone. In 1.28 and 1.29.0-alpha.1 a function answers QueueSkip, QueueAfterBackoff or
QueueImmediately, from 1.29.0-alpha.3 on QueueSkip or Queue (#119517), which is QueueAfterBackoff here. None of these
plugins ever answers QueueImmediately. From 1.29.0-alpha.1 on a function may answer an error instead (#119290). None of
these functions meets one in the models: Go's come from objects of the wrong kind, and from selectors that do not parse.

A plugin without a function counts as one that always answers Queue (`defaultQueueingHintFn`): each of these plugins in
1.28. A function that compares the old node with the new one misses what `preCheckForNode` kept from the queue: a node
that joined unfit, and then became fit in a way that is nothing to this plugin (QH-PLUGIN-HINT-MISS). So did
NodeAffinity and NodeUnschedulable in 1.29.0 (https://github.com/kubernetes/kubernetes/issues/122284), and so does
TaintToleration in 1.31. With the gate on, 1.32 has no such check.

Not modelled: that a nominated pod which goes counts too (PodTopologySpread and InterPodAffinity from 1.36 on);
resources but CPU; node affinity of the configuration.
"""

from collections.abc import Callable
from typing import TypeVar

from attrs import frozen

from model.scheduler.hint_objects import HintedNode, HintedPod
from model.scheduler.queue.events import Answer, Hint

T = TypeVar("T")
# The pod that waits, the object before, the object after.
PodHint = Callable[[HintedPod, HintedPod | None, HintedPod | None], Answer]
NodeHint = Callable[[HintedPod, HintedNode | None, HintedNode | None], Answer]

QUEUE: Hint = "QueueAfterBackoff"
SKIP: Hint = "QueueSkip"
# The taint that a cordoned node has (`v1.TaintNodeUnschedulable`).
CORDON_TAINT = "node.kubernetes.io/unschedulable"


def _queue_if(helps: bool) -> Hint:
    return QUEUE if helps else SKIP


def not_asked(pod: HintedPod, old: T | None, new: T | None) -> Answer:
    """The plugin waits for no event of this resource, so that no such event moves the pod."""
    return SKIP


def queue_always(pod: HintedPod, old: T | None, new: T | None) -> Answer:
    """The plugin has no function for this resource (`defaultQueueingHintFn`)."""
    return QUEUE


def queue_if_own(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The pod itself changed. The event says already what changed (1.32)."""
    return _queue_if(new is not None and new.uid == pod.uid)


# ------------------------------------------------------------------ NodeResourcesFit


def _fits(pod: HintedPod, node: HintedNode | None) -> bool:
    """Whether the pod would fit on the node if nothing else were there (`isFit`)."""
    return node is not None and pod.cpu_milli <= node.cpu_milli


def queue_if_assigned_pod_goes(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """A pod that goes frees what it has of its node, if it has one (1.30)."""
    return _queue_if(new is None and old is not None and bool(old.node_name))


def queue_if_node_fits(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The node as it is now would have room for the pod (1.30)."""
    return _queue_if(_fits(pod, new))


def queue_if_node_fits_and_has_more(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The same, and the node is new, or has more than before of what the pod asks for (1.32)."""
    if new is None or not _fits(pod, new):
        return SKIP
    return _queue_if(old is None or (pod.cpu_milli > 0 and new.cpu_milli > old.cpu_milli))


def queue_if_assigned_or_nominated_pod_goes(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """As `queue_if_assigned_pod_goes`, and a pod that goes and was nominated frees what was kept for it (1.33)."""
    nominated = new is None and old is not None and bool(old.nominated_node_name)
    return QUEUE if nominated else queue_if_assigned_pod_goes(pod, old, new)


def queue_if_less_is_asked_for(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The pod itself asks for less, or a bound pod (`isSchedulableAfterPodScaleDown`)."""
    if old is None or new is None:
        return SKIP
    less = new.uid == pod.uid or (bool(new.node_name) and old.cpu_milli > new.cpu_milli)
    return QUEUE if less else SKIP


# ------------------------------------------------------------------ NodeAffinity


def _matches(pod: HintedPod, node: HintedNode | None) -> bool:
    """Whether the node is what the pod asks for by labels and name (`GetRequiredNodeAffinity(pod).Match`)."""
    if node is None or (pod.node_names and node.name not in pod.node_names):
        return False
    return set(pod.node_selector) <= set(node.labels)


def queue_if_node_begins_to_match(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The node has the pod's labels now, and had them not before or is new (1.29.0-alpha.3; again 1.32)."""
    return _queue_if(_matches(pod, new) and not _matches(pod, old))


def queue_if_node_matches(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The node has the pod's labels now, whatever it had before (1.30)."""
    return _queue_if(_matches(pod, new))


# ------------------------------------------------------------------ NodeUnschedulable


def _schedulable(node: HintedNode | None) -> bool:
    return node is not None and not node.unschedulable


def queue_if_node_becomes_schedulable(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The node is not cordoned, and was before or is new (1.29.0-alpha.1; again 1.32)."""
    return _queue_if(_schedulable(new) and not _schedulable(old))


def queue_if_node_is_schedulable(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The node is not cordoned, whatever it was before (1.30)."""
    return _queue_if(_schedulable(new))


def queue_if_own_tolerates_cordon(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The pod itself tolerates the taint of a cordoned node now (1.32)."""
    return _queue_if(new is not None and new.uid == pod.uid and new.toleration == CORDON_TAINT)


# ------------------------------------------------------------------ TaintToleration


def _tolerated(pod: HintedPod, node: HintedNode | None) -> bool:
    """Whether the node has no taint that the pod does not tolerate (`FindMatchingUntoleratedTaint`)."""
    return node is not None and node.taint in ("", pod.toleration)


def queue_if_taint_goes(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The pod tolerates the node now, and did not before or the node is new (1.31)."""
    return _queue_if(_tolerated(pod, new) and not _tolerated(pod, old))


def queue_if_own_tolerations_grow(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The pod itself has another number of tolerations. None can be changed or taken away (1.31)."""
    if old is None or new is None or new.uid != pod.uid:
        return SKIP
    return _queue_if(bool(old.toleration) != bool(new.toleration))


# ------------------------------------------------------------------ PodTopologySpread


def _counted(pod: HintedPod, other: HintedPod) -> bool:
    """Whether any of the pod's constraints counts pods with these labels (`podLabelsMatchSpreadConstraints`)."""
    return any(each.matches(other.labels) for each in pod.spread)


def _labels_hint(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Hint:
    """A pod that comes or goes is counted; or a pod's labels change so that a constraint counts it no more, or anew."""
    if old is None or new is None:
        return _queue_if(any(_counted(pod, each) for each in (old, new) if each is not None))
    return _queue_if(any(each.matches(old.labels) != each.matches(new.labels) for each in pod.spread))


def queue_if_assigned_pod_is_counted(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """A bound pod comes, goes, or changes its labels, so that a constraint counts otherwise (1.30)."""
    if any(each is not None and not each.node_name for each in (old, new)):
        return SKIP
    return _labels_hint(pod, old, new)


def queue_if_assigned_or_own_pod_is_counted(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The same, also of the pod itself, and the pod itself tolerates what a constraint honors (1.32, #127447)."""
    if any(each is not None and each.uid != pod.uid and not each.node_name for each in (old, new)):
        return SKIP
    if old is not None and new is not None and new.uid == pod.uid:
        honors = any(each.honors_taints for each in pod.spread)
        if honors and old.toleration != new.toleration:
            return QUEUE
    return _labels_hint(pod, old, new)


def _in_domains(pod: HintedPod, node: HintedNode) -> bool:
    """Whether the node has all topology keys of the pod's constraints (`nodeLabelsMatchSpreadConstraints`)."""
    return {each.topology_key for each in pod.spread} <= {key for key, _ in node.labels}


def queue_if_node_is_in_domains(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """The node has the topology keys: as it is now, or as it was when it went (1.30).

    A node that loses a key is no reason to try again, although its domain may be the one that had too few pods.
    """
    node = old if new is None else new
    return _queue_if(node is not None and _in_domains(pod, node))


def queue_if_domains_change(pod: HintedPod, old: HintedNode | None, new: HintedNode | None) -> Answer:
    """A node with the keys comes or goes; gets or loses them; changes their values, or its taints (1.32)."""
    if old is None or new is None:
        return queue_if_node_is_in_domains(pod, old, new)
    if _in_domains(pod, old) != _in_domains(pod, new):
        return QUEUE
    before, after = dict(old.labels), dict(new.labels)
    moved = any(before.get(each.topology_key) != after.get(each.topology_key) for each in pod.spread)
    return _queue_if(_in_domains(pod, new) and (moved or old.taint != new.taint))


# ------------------------------------------------------------------ SchedulingGates


def queue_if_own_gates_are_gone(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The pod itself has no gate any more (1.31)."""
    return _queue_if(new is not None and new.uid == pod.uid and not new.scheduling_gates)


@frozen(slots=False, kw_only=True)
class OwnPodHintRules:
    """The hint functions for pods of two plugins."""

    # Of NodeResourcesFit.
    fit_after_pod: PodHint
    # Of TaintToleration.
    taint_after_pod: PodHint


@frozen(slots=False, kw_only=True)
class PreCheckWithHintsRules:
    """Whether `preCheckForNode` is asked first, with the gate on."""

    pre_check_with_hints: Callable[[], bool]


@frozen(slots=False, kw_only=True)
class HintFunctionRules(OwnPodHintRules, PreCheckWithHintsRules):
    """The hint function of each plugin for pods and for nodes, as far as the plugin waits for such events."""

    # Of NodeResourcesFit.
    fit_after_node: NodeHint
    # Of NodeAffinity.
    affinity_after_node: NodeHint
    # Of NodeUnschedulable.
    unschedulable_after_pod: PodHint
    unschedulable_after_node: NodeHint
    # Of TaintToleration.
    taint_after_node: NodeHint
    # Of PodTopologySpread.
    spread_after_pod: PodHint
    spread_after_node: NodeHint
    # Of SchedulingGates.
    gates_after_pod: PodHint
