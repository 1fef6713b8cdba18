"""The scheduling queue as data: its records, and how pods are looked up, put in and taken out. Pure, nothing else.

Go: `PriorityQueue` and `UnschedulablePodsMap`, pkg/scheduler/internal/queue/scheduling_queue.go; `QueuedPodInfo`,
pkg/scheduler/framework/types.go. The sub-queues are keyed by pod name (all pods live in one namespace).

Times are ms of any clock, stored as they were passed; nothing depends on where that clock starts (`shift_times`).
"""

from collections.abc import Callable
from typing import Literal

from attrs import field, frozen

from model.evolve import evolve
from model.objects import SELDOM, Pod
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.nominator import Nominator
from model.variables import READ_AS, Series, apart

# activeQ, podBackoffQ, unschedulableQ (from 1.24 on unschedulablePods).
SubQueue = Literal["active", "backoff", "unschedulable"]


@frozen(cache_hash=True)
class QueuedPodInfo:
    """A pod in the queue, or popped from it (`podInfo`, `framework.PodInfo`, `framework.QueuedPodInfo`)."""

    pod: Pod
    # When the pod was added, or last came back from an attempt; 0 in a popped record, where nothing reads it.
    timestamp: int = 0
    # How often the pod was popped (1.17 on, where nothing but a metric reads the number; 0 where nothing counts).
    attempts: int = 0
    # The plugins that rejected the pod in its last attempt (1.21 on).
    unschedulable_plugins: frozenset[str] = frozenset()
    # The plugins that rejected it for as long as something outside has not happened (1.29 on).
    pending_plugins: frozenset[str] = frozenset()
    # The PreEnqueue plugin that holds the pod back, "" for none (`GatingPlugin`, 1.34 on; up to 1.33 Go keeps only that
    # there is one: `Gated`).
    gating_plugin: str = field(default="", metadata={SELDOM: True})
    # How often a plugin rejected the pod (`UnschedulableCount`), and how many errors it met since (1.34 on).
    unschedulable_count: int = field(default=0, metadata={SELDOM: True})
    consecutive_errors_count: int = field(default=0, metadata={SELDOM: True})

    @property
    def gated(self) -> bool:
        """Whether a PreEnqueue plugin holds the pod back: the pod waits in unschedulablePods."""
        return bool(self.gating_plugin)

    @property
    def rejected(self) -> bool:
        """Whether a plugin rejected the pod in its last attempt, which met no error then."""
        return bool(self.unschedulable_plugins or self.pending_plugins)


@frozen(cache_hash=True)
class BackoffEntry:
    """What is known of the backoff of a pod's *name* (`backoffEntry` of 1.14, `PodBackoffMap` of 1.15 to 1.17)."""

    name: str
    # How many backoffs began. 1.14 keeps the duration instead, which is the same function of this number.
    attempts: int
    # When the last of them began.
    last_update: int


@frozen(cache_hash=True)
class InFlightPod:
    """A pod that Pop returned and that is not yet done (an entry of `inFlightPods`, an element of `inFlightEvents`)."""

    uid: str
    # 1.28.0 and 1.28.1: the place in `Queue.in_flight_events` of the last event before the Pop (`previousEvent`). None:
    # there was no event. `REMOVED`: the event is no longer in the list.
    previous_event: int | None = None


REMOVED = -1


@frozen(cache_hash=True)
class InFlightEvent:
    """An event that came while pods were in flight (`clusterEvent`)."""

    event: ClusterEvent
    # The uid of the one pod that the event is for (`newObj` of ForceActivate, 1.32 on), "" of an event for all pods.
    # No release compares other objects of an event; the hint functions of plugins are given these objects.
    only_for: str = ""
    # 1.28.0 and 1.28.1: how many of the pods that were in flight when the event came are not yet done
    # (`inFlightPodsNum`).
    in_flight_pods_num: int = 0


InFlight = tuple[InFlightPod | InFlightEvent, ...]
Infos = tuple[QueuedPodInfo, ...]
# The fields of the queue that have such records, each with a timestamp.
WITH_TIMES = ("active", "backoff", "unschedulable")


@apart
@frozen(cache_hash=True)
class Queue:
    """The state of a PriorityQueue. A release leaves the fields it has not at their defaults."""

    # In pop order; those that are equal by `QueueRules.active_q_order` in order of insertion.
    active: Infos = ()
    # In the same order, where Go has a heap by end of backoff, whose order nothing can tell.
    backoff: Infos = ()
    # In the same order, where Go has a map.
    unschedulable: Infos = ()
    nominator: Nominator = Nominator()
    # Backoffs by pod name, sorted (1.14 to 1.17).
    pod_backoff: tuple[BackoffEntry, ...] = ()
    # How many cycles began (1.14 on). Of cycle numbers only differences matter, see `shift_cycles`.
    scheduling_cycle: int = 0
    # The cycle of the last move request (1.14 on).
    move_request_cycle: int = -1
    # Whether a move request came since the last Pop (1.13).
    received_move_request: bool = False
    # The pods in flight, sorted by uid (`inFlightPods`). Empty unless the gate SchedulerQueueingHints is on (1.28 on).
    in_flight_pods: tuple[InFlightPod, ...] = field(default=(), metadata={SELDOM: True, READ_AS: Series})
    # Events in the order in which they came, from 1.28.2 on with the pods that were popped in between
    # (`receivedEvents`, `inFlightEvents`). Empty with the gate off.
    in_flight_events: InFlight = field(default=(), metadata={SELDOM: True, READ_AS: Series})
    # Whether the ResourceClaims that the pods name are missing. In Go no part of the queue: the PreEnqueue function of
    # DynamicResources looks there.
    lacks_claims: bool = field(default=False, metadata={SELDOM: True})


@frozen(cache_hash=True)
class QueueConfig:
    """What a queue is made with. Durations in ms, defaults as in Go."""

    initial_backoff: int = 1_000
    max_backoff: int = 10_000
    # DefaultPodMaxInUnschedulablePodsDuration, 1.24 on; up to 1.23 the limit is a constant of 60 s.
    unschedulable_timeout: int = 300_000
    # Which plugin waits for which event (1.21 on).
    cluster_event_map: tuple[Registration, ...] = ()
    # backoffQOrderingWindowDuration, with the gate SchedulerPopFromBackoffQ on: ends of backoffs are whole windows.
    backoff_window: int = 1_000


def find(infos: Infos, name: str) -> QueuedPodInfo | None:
    """The record under this pod name, or None."""
    for info in infos:
        if info.pod.name == name:
            return info
    return None


def without(infos: Infos, name: str) -> Infos:
    """`infos` less the record under this pod name."""
    for i, info in enumerate(infos):
        if info.pod.name == name:
            return infos[:i] + infos[i + 1 :]
    return infos


Order = Callable[[QueuedPodInfo], tuple[int | str, ...]]


def put(infos: Infos, info: QueuedPodInfo, order: Order) -> Infos:
    """`infos`, sorted by `order`, with `info` in it in place of what was there under its name (heap `Add`).

    A record that replaces one of equal order takes its place; otherwise it goes behind those of equal order.
    """
    key = order(info)
    name = info.pod.name
    for i, other in enumerate(infos):
        if other.pod.name == name:
            if order(other) == key:
                return (*infos[:i], info, *infos[i + 1 :])
            infos = infos[:i] + infos[i + 1 :]
            break
    for i, other in enumerate(infos):
        if order(other) > key:
            return (*infos[:i], info, *infos[i:])
    return (*infos, info)


def shift_times(queue: Queue, ms: int) -> Queue:
    """`queue` with `ms` subtracted from every stored time: the same queue on a clock that started `ms` later."""
    if not ms:
        return queue

    changed: dict[str, object] = {
        name: tuple(evolve(info, timestamp=info.timestamp - ms) for info in infos)
        for name in WITH_TIMES
        if (infos := getattr(queue, name))
    }
    if queue.pod_backoff:
        changed["pod_backoff"] = tuple(evolve(entry, last_update=entry.last_update - ms) for entry in queue.pod_backoff)
    return evolve(queue, **changed) if changed else queue


def shift_cycles(queue: Queue, cycles: int) -> Queue:
    """`queue` with `cycles` subtracted from both cycle numbers; the caller does the same to those of pods in flight."""
    return evolve(
        queue,
        scheduling_cycle=queue.scheduling_cycle - cycles,
        move_request_cycle=queue.move_request_cycle - cycles,
    )
