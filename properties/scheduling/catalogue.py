"""The properties of scheduling, and mutants."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from model.objects import Pod
from model.scheduler.cache.snapshot import snapshot_counting_tree_nodes
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot, SnapshotUpdate
from model.scheduler.calls import NOTHING, Calls
from model.scheduler.queue.state import Queue, QueuedPodInfo, SubQueue
from model.scheduler.skip import skip_terminating_pod
from properties.property import Property
from properties.scheduling.backoff import BACKS_OFF, IN_TIME, REJECTED_BY_LAST
from properties.scheduling.cache import (
    CACHE_IS_TRUE,
    CURRENT_OBJECTS,
    REQUESTED_IS_OF_PODS,
    SNAPSHOT_IS_CACHE,
    SNAPSHOT_MAP_IS_CACHE,
    WITHIN_CAPACITY,
)
from properties.scheduling.errors import NO_NEEDLESS_ERROR
from properties.scheduling.nominations import (
    NOMINATED_IS_PENDING,
    NOMINATED_NODE_NAMED,
    NOMINATED_ONCE,
    NOMINATION_CAN_COME_TRUE,
    ROOM_IS_KEPT,
)
from properties.scheduling.order import TAKES_THE_FIRST
from properties.scheduling.pods import (
    ASSUMED_NOT_QUEUED,
    ASSUMED_NOT_SCHEDULED,
    BINDS_DECIDED,
    BINDS_ONCE,
    NO_FAILURE_OF_BOUND,
    NO_SELF_RETRY,
    NOT_FORGOTTEN,
    ONE_ATTEMPT,
    ONE_PLACE,
    RUNS,
)
from properties.scheduling.preemption import PREEMPTS_FOR_ROOM
from properties.scheduling.progress import FITTING_IS_BOUND, NO_EVENT_LOST, NO_STARVATION, PREEMPTOR_IS_BOUND

PROPERTIES: tuple[Property, ...] = (
    NOMINATED_IS_PENDING, NOMINATED_ONCE, NOMINATED_NODE_NAMED, NOMINATION_CAN_COME_TRUE, ROOM_IS_KEPT,
    PREEMPTS_FOR_ROOM, ONE_PLACE, ONE_ATTEMPT, NO_FAILURE_OF_BOUND, BINDS_ONCE, BINDS_DECIDED, ASSUMED_NOT_SCHEDULED,
    ASSUMED_NOT_QUEUED, NO_SELF_RETRY, NOT_FORGOTTEN, RUNS, WITHIN_CAPACITY, CACHE_IS_TRUE, CURRENT_OBJECTS,
    SNAPSHOT_IS_CACHE, SNAPSHOT_MAP_IS_CACHE, REQUESTED_IS_OF_PODS, IN_TIME, BACKS_OFF, REJECTED_BY_LAST,
    TAKES_THE_FIRST, NO_NEEDLESS_ERROR, NO_EVENT_LOST, FITTING_IS_BOUND, NO_STARVATION, PREEMPTOR_IS_BOUND,
)  # fmt: skip


def skip_annotated_pod(pod: Pod) -> Calls:
    """A mutant: a popped pod with an annotation is not scheduled, and nobody puts the pod back into a queue."""
    return skip_terminating_pod(pod) if not pod.annotations else NOTHING


def snapshot_taken_once(rules: CacheRules, cache: Cache, snapshot: CacheSnapshot) -> tuple[SnapshotUpdate, ...]:
    """A mutant: keeps the first snapshot for ever."""
    if snapshot.node_info_list:
        return (SnapshotUpdate(None, cache, snapshot),)
    return snapshot_counting_tree_nodes(rules, cache, snapshot)


def failed_pod_to_active(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    """A mutant: every pod whose attempt failed is tried again at once."""
    return "active"


def order_by_timestamp(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """A mutant: the pod that waits longest is popped first, whatever its priority."""
    return (info.timestamp,)


def preempts_nowhere(victims: int) -> bool:
    """A mutant: no node is a candidate, whatever victims it has."""
    return False


MUTANTS: Mapping[str, Sequence[Callable[..., Any]]] = {
    "skip_pod_schedule": (skip_annotated_pod,),
    "active_q_order": (order_by_timestamp,),
    "queue_for_failed_pod": (failed_pod_to_active,),
    "take_snapshot": (snapshot_taken_once,),
    "preempts_with": (preempts_nowhere,),
}
