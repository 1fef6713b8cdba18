"""Calls of the scheduling queue and of its nominator, in any order: with pods and plugins that no scope has.

One pod asks for another by affinity, plugins wait for other events or leave a pod pending, a heap's Add refuses a pod,
and the lister does not know a pod that is nominated.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue import events, scheduling_queue
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo, shift_cycles, shift_times

NEW = Queue()
_NOW = 1_000  # ms
Ends = tuple[tuple[Any, Queue], ...]

_CONFIG = QueueConfig(
    max_backoff=2_000,
    unschedulable_timeout=60_000,
    cluster_event_map=(
        Registration("OnNodeAdd", events.NODE_ADD),
        Registration("OnPod", ClusterEvent("Pod", events.ALL)),
        Registration(POD_TOPOLOGY_SPREAD, ClusterEvent("Pod", events.ALL)),
        Registration("OnAll", ClusterEvent("*", events.ALL)),
        Registration("Skips", ClusterEvent("*", events.ALL), events.queue_skip),
    ),
)
_POD = Pod("p1", "p1#1", affinity_app="1", condition="no room")
_UPDATED = evolve(_POD, annotations=(("a", "1"),))
_NOMINATED = evolve(_POD, nominated_node_name="n1")
_EQUAL = Pod("p2", "p2#1")
_HIGHER = Pod("p3", "p3#1", priority=1, nominated_node_name="n2")
_BOUND = Pod("b", "b#1", node_name="n1", labels=(("app", "1"),))
_OTHER_BOUND = Pod("c", "c#1", node_name="n1", labels=(("app", "2"),))


@frozen
class _Rejected:
    """Who rejected a pod."""

    plugins: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()


_REJECTED = {
    "by no plugin": _Rejected(),
    "by a plugin that waits for nodes": _Rejected(frozenset({"OnNodeAdd"})),
    "by a plugin that waits for everything": _Rejected(frozenset({"OnAll"})),
    "by a plugin that skips": _Rejected(frozenset({"Skips"})),
    f"by {POD_TOPOLOGY_SPREAD}": _Rejected(frozenset({POD_TOPOLOGY_SPREAD})),
    "and is pending": _Rejected(frozenset(), frozenset({"OnPod"})),
}


def _setup(rules: Any) -> QueueSetup:
    return QueueSetup(rules, rules, _CONFIG)


def _call(function: Callable[..., Any], *args: Any) -> Any:
    """`function(setup, queue, *args)`, which answers the queue, or an error and the queue."""

    def call(rules: Any, queue: Queue) -> Ends:
        answer = function(_setup(rules), queue, *args)
        return ((None, answer) if isinstance(answer, Queue) else answer,)

    return call


def _pop(rules: Any, queue: Queue) -> Ends:
    setup = _setup(rules)
    return tuple(scheduling_queue.pop(setup, queue, head) for head in scheduling_queue.heads(setup, queue))


def _fail(setup: QueueSetup, queue: Queue, pod: Pod, by: _Rejected) -> tuple[str | None, Queue]:
    info = QueuedPodInfo(pod, 0, 1, by.plugins, by.pending)
    return scheduling_queue.add_unschedulable_if_not_present(setup, queue, info, queue.scheduling_cycle, _NOW)


def _advance(ms: int) -> Any:
    """Time passes: the clock of the queue starts so much later."""
    return lambda rules, queue: ((None, shift_times(queue, ms)),)


def _nominated(rules: Any, queue: Queue) -> Ends:
    return ((scheduling_queue.nominated_pods_for_node(_setup(rules), queue, "n1"), queue),)


def _unknown(name: str) -> Pod | None:
    """A lister without pods."""
    return None


def _calls() -> Mapping[str, Any]:
    found: dict[str, Any] = {"Pop": _pop, "NominatedPodsForNode": _nominated}
    for pod in (_POD, _EQUAL, _HIGHER):
        found[f"Add of {pod.name}"] = _call(scheduling_queue.add, pod, _NOW)
    for text, by in _REJECTED.items():
        found[f"AddUnschedulableIfNotPresent of p1, rejected {text}"] = _call(_fail, _POD, by)
    found["AddUnschedulableIfNotPresent of p2"] = _call(_fail, _EQUAL, _Rejected(frozenset({"OnPod"})))
    for text, pod in (("annotation", _UPDATED), ("status", _NOMINATED)):
        found[f"Update of the {text} of p1"] = _call(scheduling_queue.update, _POD, pod, _NOW)
    found["Delete of p1"] = _call(scheduling_queue.delete, _POD)
    found["Activate of p1"] = _call(scheduling_queue.activate, _POD)
    for text, event, *more in (
        ("NodeAdd", events.NODE_ADD),
        ("NodeTaintChange", events.NODE_TAINT_CHANGE),
        ("WildCardEvent", events.WILD_CARD_EVENT),
        ("NodeAdd that the queue refuses", events.NODE_ADD, None, ("p1",)),
        ("NodeAdd of a node without room", events.NODE_ADD, lambda pod: pod.name != "p1"),
    ):
        move = scheduling_queue.move_all_to_active_or_backoff_queue
        found[f"a move by {text}"] = _call(move, _NOW, event, *more)
    for pod in (_BOUND, _OTHER_BOUND):
        found[f"AssignedPodAdded of {pod.name}"] = _call(scheduling_queue.assigned_pod_added, pod, _NOW)
        for event in (events.POD_LABEL_CHANGE, events.POD_REQUEST_SCALED_DOWN):
            name = f"AssignedPodUpdated of {pod.name} by {event.label}"
            found[name] = _call(scheduling_queue.assigned_pod_updated, pod, event, _NOW)
    found["flushBackoffQCompleted"] = _call(scheduling_queue.flush_backoff_q_completed, _NOW)
    found["flushUnschedulableQLeftover"] = _call(scheduling_queue.flush_unschedulable_q_leftover, _NOW)
    found["a second"], found["a minute"] = _advance(1_000), _advance(60_001)
    for text, pod, node in (("p1 to n1", _POD, "n1"), ("p1 to n2", _POD, "n2"), ("p2 to n1", _EQUAL, "n1")):
        found[f"AddNominatedPod of {text}"] = _call(scheduling_queue.add_nominated_pod, pod, node)
    found["AddNominatedPod of p1, which is gone"] = _call(scheduling_queue.add_nominated_pod, _POD, "n1", _unknown)
    found["DeleteNominatedPodIfExists of p1"] = _call(scheduling_queue.delete_nominated_pod_if_exists, _POD)
    return found


CALLS: Mapping[str, Any] = _calls()


def small(rules: Any, queue: Queue) -> Queue:
    """With cycles counted back from the present one."""
    return shift_cycles(queue, queue.scheduling_cycle)
