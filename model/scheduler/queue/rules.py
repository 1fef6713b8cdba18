"""The rules of the scheduling queue that fit in a line or two, and the choice of all of them: `QueueRules`. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go. The longer rules are in queue_backoff, queue_move and
queue_update; `queue` has the operations that call them, each under `PriorityQueue.lock`.
"""

from collections.abc import Callable, Container

from attrs import frozen

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue import (
    backoff as queue_backoff,
)
from model.scheduler.queue import (
    events as queue_events,
)
from model.scheduler.queue import (
    move as queue_move,
)
from model.scheduler.queue import (
    update as queue_update,
)
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.move import PreEnqueueCheck
from model.scheduler.queue.nominator import NominatorCall, NominatorRules
from model.scheduler.queue.state import NAMESPACE, Infos, Queue, QueueConfig, QueuedPodInfo, find
from model.scheduler.queue.update import Effect


def order_by_priority(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """Higher priority first (`HigherPriorityPod`, 1.13); by name where the heap's order is left open."""
    return (-info.pod.priority, info.pod.name)


def order_by_priority_and_timestamp(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """Higher priority first, then the older timestamp (`activeQComp`, 1.14; later the plugin PrioritySort)."""
    return (-info.pod.priority, info.timestamp)


def heads_of_equal_priority(active: Infos) -> tuple[int, ...]:
    """Every pod of the highest priority: which of them is on top of the heap follows from its history (1.13)."""
    return tuple(i for i, info in enumerate(active) if info.pod.priority == active[0].pod.priority)


def only_head(active: Infos) -> tuple[int, ...]:
    """The first: no two pods have one timestamp, on a clock that counts ns (1.14)."""
    return (0,) if active else ()


def no_timestamp(now: int) -> int:
    """The queue keeps no times (1.13)."""
    return 0


def clock_timestamp(now: int) -> int:
    """`clock.Now()` (1.14)."""
    return now


def begin_cycle_clearing_flag(queue: Queue) -> Queue:
    """Pop clears `receivedMoveRequest` (1.13), also when another pod's failure is still to be handled."""
    return evolve(queue, received_move_request=False)


def begin_next_cycle(queue: Queue) -> Queue:
    """Pop increments `schedulingCycle` (1.14)."""
    return evolve(queue, scheduling_cycle=queue.scheduling_cycle + 1)


def pop_pod_only(info: QueuedPodInfo) -> QueuedPodInfo:
    """Pop returns the pod; nothing else is known of it when it comes back (1.13 to 1.16)."""
    return QueuedPodInfo(info.pod)


def pop_counting_attempts(info: QueuedPodInfo) -> QueuedPodInfo:
    """Pop returns the record, `Attempts` incremented (1.17 to 1.27)."""
    return QueuedPodInfo(info.pod, 0, info.attempts + 1, info.unschedulable_plugins)


def pop_clearing_plugins(info: QueuedPodInfo) -> QueuedPodInfo:
    """The same, and the plugins that rejected the pod are forgotten (1.28)."""
    return QueuedPodInfo(info.pod, 0, info.attempts + 1)


def is_pod_unschedulable(pod: Pod) -> bool:
    """Whether the object at hand says PodScheduled=False (`isPodUnschedulable`, 1.13; the models have one reason)."""
    return bool(pod.condition)


def failed_pod_by_flag(queue: Queue, info: QueuedPodInfo, cycle: int) -> str:
    """unschedulableQ, or activeQ after a move request since the last Pop, whichever pod that was (1.13)."""
    stays = not queue.received_move_request and is_pod_unschedulable(info.pod)
    return "unschedulable" if stays else "active"


def failed_pod_by_cycle_to_active(queue: Queue, info: QueuedPodInfo, cycle: int) -> str:
    """unschedulableQ, or activeQ after a move request in the pod's own cycle or since (1.13.4: no backoff queue)."""
    stays = queue.move_request_cycle < cycle and is_pod_unschedulable(info.pod)
    return "unschedulable" if stays else "active"


def failed_pod_by_cycle(queue: Queue, info: QueuedPodInfo, cycle: int) -> str:
    """unschedulableQ, or the backoff queue after a move request in the pod's own cycle or since (1.14)."""
    return "backoff" if queue.move_request_cycle >= cycle else "unschedulable"


def failed_pod_by_cycle_or_error(queue: Queue, info: QueuedPodInfo, cycle: int) -> str:
    """The same; the backoff queue also when no plugin rejected the pod (1.29, pull request #119105)."""
    rejected = info.unschedulable_plugins or info.pending_plugins
    return failed_pod_by_cycle(queue, info, cycle) if rejected else "backoff"


def present_error_short(pod: Pod, where: str) -> str:
    """Up to 1.17."""
    name = {"active": "the activeQ", "backoff": "the backoffQ", "unschedulable": "unschedulableQ"}[where]
    return f"pod is already present in {name}"


def present_error_with_name(pod: Pod, where: str) -> str:
    """From 1.22.3, or before."""
    name = {"active": "the active", "backoff": "the backoff", "unschedulable": "unschedulable"}[where]
    return f"Pod {NAMESPACE}/{pod.name} is already present in {name} queue"


def never_flushed(config: QueueConfig) -> int | None:
    """Pods stay in unschedulableQ (1.13 before its patches)."""
    return None


def flushed_after_a_minute(config: QueueConfig) -> int | None:
    """`unschedulableQTimeInterval` (1.14 to 1.23)."""
    return 60_000


def flushed_after_configured_time(config: QueueConfig) -> int | None:
    """`podMaxInUnschedulablePodsDuration` (1.24)."""
    return config.unschedulable_timeout


def nominated_by_status_only(pod: Pod, node: str | None) -> NominatorCall | None:
    """There is no `UpdateNominatedPodForNode`: the update of the status must come first (1.13, NOM-RACE-SETTING)."""
    return None


def nominated_at_once(pod: Pod, node: str | None) -> NominatorCall | None:
    """`UpdateNominatedPodForNode` (1.14, pull request #72259), `AddNominatedPod` (1.19)."""
    return NominatorCall("add", pod, node=node)


def nominate_added_anew(pod: Pod, waited: bool) -> NominatorCall:
    """`Add` forgets the nomination of a pod that was in unschedulableQ first (1.13)."""
    return NominatorCall("update", pod, pod) if waited else NominatorCall("add", pod)


def nominate_added_by_status(pod: Pod, waited: bool) -> NominatorCall:
    """`Add` nominates the pod as its status says, and forgets any other nomination (1.14)."""
    return NominatorCall("add", pod)


def nominate_waiting_by_status(pod: Pod) -> NominatorCall | None:
    """A pod that comes back from an attempt, or is activated, is nominated as its status says (1.13 to 1.30)."""
    return NominatorCall("add", pod)


def nominate_waiting_as_before(pod: Pod) -> NominatorCall | None:
    """Its nomination is left alone (1.31: `AddNominatedPod` in `moveToActiveQ` for added and updated pods only)."""
    return None


def nominated_as_kept(queue: Queue, pod: Pod) -> Pod:
    """A nominated pod as the nominator has it (1.13 to 1.30)."""
    return pod


def nominated_as_queued(queue: Queue, pod: Pod) -> Pod:
    """A nominated pod as a sub-queue has its namesake, otherwise a pod of no more than name and uid (1.31).

    `nominatedPodToInfo`: a pod in flight asks for nothing then, and has priority 0.
    """
    for infos in (queue.active, queue.unschedulable, queue.backoff):
        info = find(infos, pod.name)
        if info is not None:
            return info.pod
    return pod


PodsForAssignedPodUpdate = Callable[["QueueRules", Queue, Pod, ClusterEvent], tuple[Infos, ClusterEvent]]
MovePods = Callable[["QueueSetup", Queue, Infos, ClusterEvent, int, Container[str]], Queue]


@frozen(slots=False, kw_only=True)
class QueueRules:
    """What releases do differently in the queue, and where a proposed fix takes hold.

    Every rule runs within one step under `PriorityQueue.lock`.
    """

    active_q_order: Callable[[QueuedPodInfo], tuple[int | str, ...]] = order_by_priority_and_timestamp
    active_q_heads: Callable[[Infos], tuple[int, ...]] = only_head
    queue_timestamp: Callable[[int], int] = clock_timestamp
    begin_cycle: Callable[[Queue], Queue] = begin_next_cycle
    popped_record: Callable[[QueuedPodInfo], QueuedPodInfo] = pop_clearing_plugins
    queue_for_failed_pod: Callable[[Queue, QueuedPodInfo, int], str] = failed_pod_by_cycle_or_error
    already_present_error: Callable[[Pod, str], str] = present_error_with_name
    backoff_time: Callable[["QueueSetup", Queue, QueuedPodInfo], int | None] = queue_backoff.backoff_time_by_attempts
    back_off_pod: Callable[["QueueSetup", Queue, str, int], Queue] = queue_backoff.no_back_off_pod
    strip_for_queue: Callable[[Pod], Pod] = queue_update.strip_status_and_finalizers
    queue_update: Callable[["QueueSetup", Queue, Pod, Pod, int], Effect] = queue_update.update_respecting_backoff
    move_pods: MovePods = queue_move.move_if_worth_requeuing
    worth_requeuing: queue_events.WorthRequeuing = queue_events.worth_requeuing_pending
    event_of_interest: Callable[[ClusterEvent, tuple[Registration, ...]], bool] = queue_events.is_event_of_interest
    note_move_request: Callable[[Queue], Queue] = queue_move.note_by_cycle
    pods_for_move_request: Callable[[Queue, PreEnqueueCheck | None], Infos] = queue_move.those_passing_pre_check
    pods_for_assigned_pod: Callable[[Queue, Pod], Infos] = queue_move.get_unschedulable_pods_with_cross_topology_term
    pods_for_assigned_pod_update: PodsForAssignedPodUpdate = queue_move.all_if_scaled_down
    unschedulable_time_limit: Callable[[QueueConfig], int | None] = flushed_after_configured_time
    nominate_added: Callable[[Pod, bool], NominatorCall | None] = nominate_added_by_status
    nominate_waiting: Callable[[Pod], NominatorCall | None] = nominate_waiting_as_before
    nominated_pod: Callable[[Queue, Pod], Pod] = nominated_as_queued
    nominate_for_node: Callable[[Pod, str | None], NominatorCall | None] = nominated_at_once


@frozen
class QueueSetup:
    """What does not change in the life of a queue: rules and configuration. The state is a `Queue`."""

    rules: QueueRules = QueueRules()
    nominator_rules: NominatorRules = NominatorRules()
    config: QueueConfig = QueueConfig()
