"""PriorityQueue: pods that wait to be scheduled, in activeQ, in the backoff queue or in unschedulableQ.

Go: pkg/scheduler/internal/queue/scheduling_queue.go, releases 1.13 to 1.31, and from 1.28 on with the gate
SchedulerQueueingHints on or off; 1.32 to 1.36: pkg/scheduler/backend/queue/. In Go's order. Each function is one step
under `PriorityQueue.lock`. Other parts of the Go file stand beside this one: Pop in pop.py, Update in update.py and
update_with_hints.py, moves in move.py, pods in flight in in_flight.py, hints in hints.py, the queue's side of the
nominator in nominations.py.
What releases do differently:
 - 1.13: two sub-queues, activeQ by priority alone, `receivedMoveRequest`; no backoff, no flush (QUEUE-STUCK-NO-FLUSH);
 - 1.14: podBackoffQ and backoff by pod name, order by priority and timestamp, cycle numbers, flush after 60 s;
 - 1.16: a pod that cannot be moved is kept (move.py);
 - 1.17: Pop hands out a record with its attempts; no AddIfNotPresent any more; backoff kept longer (patches);
 - 1.18: backoff by attempts and timestamp of the record; 1.19: the nominator's own lock (nominator.py);
 - 1.21: events are compared with the plugins that rejected the pod; backoff survives an update (update.py);
 - 1.23: `preCheck`, Activate; 1.24: flush after 5 min, configurable; 1.28: Pop clears the rejecting plugins;
 - 1.29: a pod that no plugin rejected goes to the backoff queue (QUEUE-ERROR-STUCK);
 - 1.32: Pop discards a pod that is in flight; Activate of a pod in flight is an event;
 - 1.33: an empty activeQ has Pop take from the backoff queue; backoffs end with whole seconds (backoff.py);
 - 1.34: rejections and errors are counted in place of attempts; what a plugin hears of is narrower (events.py).
Pod groups and PopSpecificPod are left out (gate GenericWorkload, off by default), and so are the signatures of pods,
which the queue keeps and does not read.

Where Python and Go differ, and no trace shows that:
 - Pop of an empty activeQ blocks in Go; here `heads` is empty, and nobody calls `pop`. Nobody closes a queue.
 - Go asks whether a heap's Add failed, which it does for no pod; here only moves know of such a failure.
 - PreEnqueue plugins (1.26 on) hold a pod back only where a system has such plugins: pre_enqueue.py.
 - Go's podBackoffQ is a heap by end of backoff, its unschedulableQ a map; here both are sorted as activeQ is. No
   operation reads that order: Pop asks when backoffs end.
 - An operation of the nominator comes last here, in Go sometimes first: the sub-queues never read the nominator.
Two more are said where they are: in `add_unschedulable_if_not_present` and in `flush_backoff_q_completed`.
"""

from model.evolve import evolve
from model.objects import NAMESPACE, Pod
from model.scheduler.queue.backoff import clear_pod_backoff, is_pod_backing_off
from model.scheduler.queue.events import FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT, event_came
from model.scheduler.queue.hints import requeue_in_flight_pod
from model.scheduler.queue.in_flight import done as done, is_in_flight

# For users of this module; Go has all of these in one file.
from model.scheduler.queue.move import (
    assigned_pod_added as assigned_pod_added,
    assigned_pod_updated as assigned_pod_updated,
    move_all_to_active_or_backoff_queue as move_all_to_active_or_backoff_queue,
    move_pods,
)
from model.scheduler.queue.nominations import (
    add_nominated_pod as add_nominated_pod,
    delete_nominated_pod_if_exists as delete_nominated_pod_if_exists,
    nominate,
    nominated_pods_for_node as nominated_pods_for_node,
)
from model.scheduler.queue.nominator import NominatorCall, PodLister
from model.scheduler.queue.pop import (
    LOCK as LOCK,
    discard_before_pop as discard_before_pop,
    head as head,
    heads as heads,
    heads_of_equal_priority,
    pop as pop,
)
from model.scheduler.queue.rules import QueueSetup as QueueSetup
from model.scheduler.queue.state import (
    InFlightEvent,
    Queue,
    QueueConfig,
    QueuedPodInfo,
    SubQueue,
    find,
    without,
)
from model.scheduler.queue.sub_queues import (
    move_from_backoff_q,
    move_to_active_q,
    put_active,
    put_backoff,
    put_unschedulable,
)
from model.scheduler.queue.update import update as update, update_of_pod_not_in_flight as update_of_pod_not_in_flight
from model.which_rule import ask, is_in


def order_by_priority(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """Higher priority first (`HigherPriorityPod`, 1.13); by name where the heap's order is left open."""
    return (-info.pod.priority, info.pod.name)


def order_by_priority_and_timestamp(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """Higher priority first, then the older timestamp (`activeQComp`, 1.14; later the plugin PrioritySort)."""
    return (-info.pod.priority, info.timestamp)


def names_decide(setup: QueueSetup) -> bool:
    """Whether Pop takes the first by name of the pods of one priority. No release has such a mixture of rules."""
    if not ask(setup.rules, is_in("active_q_order", (order_by_priority,))):
        return False
    return setup.hints is not None or not ask(setup.rules, is_in("active_q_heads", (heads_of_equal_priority,)))


def no_timestamp(now: int) -> int:
    """The queue keeps no times (1.13)."""
    return 0


def clock_timestamp(now: int) -> int:
    """`clock.Now()` (1.14)."""
    return now


def nominate_added_anew(pod: Pod, waited: bool) -> NominatorCall:
    """`Add` forgets the nomination of a pod that was in unschedulableQ first (1.13)."""
    return NominatorCall("update", pod, pod) if waited else NominatorCall("add", pod)


def nominate_added_by_status(pod: Pod, waited: bool) -> NominatorCall:
    """`Add` nominates the pod as its status says, and forgets any other nomination (1.14)."""
    return NominatorCall("add", pod)


def add(setup: QueueSetup, queue: Queue, pod: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """Put a new pod into activeQ, out of any other sub-queue, and nominate it if its status says so (`Add`).

    Nothing else becomes of a pod that a PreEnqueue plugin holds back.
    """
    waited = find(queue.unschedulable, pod.name) is not None
    queue = move_to_active_q(setup, queue, QueuedPodInfo(pod, setup.rules.queue_timestamp(now)))
    if find(queue.active, pod.name) is None:
        return queue
    return nominate(setup, queue, setup.rules.nominate_added(pod, waited), lister)


def sub_queue_of(queue: Queue, name: str) -> str:
    """The sub-queue that has this name, in the order in which Go looks; "" when none has."""
    if find(queue.unschedulable, name):
        return "unschedulable"
    if find(queue.active, name):
        return "active"
    return "backoff" if find(queue.backoff, name) else ""


def add_if_not_present(setup: QueueSetup, queue: Queue, pod: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """Put the pod into activeQ and nominate it, unless a sub-queue has it (`AddIfNotPresent`, 1.13 to 1.16)."""
    if sub_queue_of(queue, pod.name):
        return queue
    queue = put_active(setup, queue, QueuedPodInfo(pod, setup.rules.queue_timestamp(now)))
    return nominate(setup, queue, NominatorCall("add", pod), lister)


def nominate_waiting_by_status(pod: Pod) -> NominatorCall | None:
    """A pod that comes back from an attempt, or is activated, is nominated as its status says (1.13 to 1.30)."""
    return NominatorCall("add", pod)


def nominate_waiting_as_before(pod: Pod) -> NominatorCall | None:
    """Its nomination is left alone (1.31: `AddNominatedPod` in `moveToActiveQ` for added and updated pods only)."""
    return None


def activation_is_lost(setup: QueueSetup, queue: Queue, uid: str) -> Queue:
    """Activate of a pod that does not wait does nothing (1.23 to 1.31)."""
    return queue


def activation_is_kept(setup: QueueSetup, queue: Queue, uid: str) -> Queue:
    """Activate of a pod in flight is an event for this pod, and of any that does not wait a move request (1.32).

    Go's own comment says that the pod is in flight; `moveRequestCycle` is written without looking.
    """
    if setup.hints is not None and is_in_flight(queue, uid):
        event_came(FORCE_ACTIVATE)
        queue = setup.hints.note_event(queue, InFlightEvent(FORCE_ACTIVATE, uid))
    return setup.rules.note_move_request(queue)


def _move_activated(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    rules, name = setup.pre_enqueue_rules, info.pod.name
    place = "both" if rules is None or find(queue.backoff, name) is None else rules.gated_when_activated()
    if place in ("unschedulable", "active"):
        queue = evolve(queue, backoff=without(queue.backoff, name))
    return move_from_backoff_q(setup, queue, info) if place == "active" else move_to_active_q(setup, queue, info)


def activate(setup: QueueSetup, queue: Queue, pod: Pod, lister: PodLister | None = None) -> Queue:
    """Put a waiting pod into activeQ at once because a plugin asked for it (`Activate`, `activate`, 1.23 on)."""
    name = pod.name
    info = find(queue.unschedulable, name) or find(queue.backoff, name)
    if info is None or find(queue.active, name) is not None:
        return queue if setup.hint_rules is None else setup.hint_rules.note_activation(setup, queue, pod.uid)
    queue = _move_activated(setup, queue, info)
    if find(queue.active, name) is None:
        return queue
    return nominate(setup, queue, setup.rules.nominate_waiting(info.pod), lister)


def present_error_short(pod: Pod, where: str) -> str:
    """Up to 1.17."""
    name = {"active": "the activeQ", "backoff": "the backoffQ", "unschedulable": "unschedulableQ"}[where]
    return f"pod is already present in {name}"


def present_error_with_pod(pod: Pod, where: str) -> str:
    """1.18 to 1.20. One of the three texts has no colon."""
    name = {"active": "the active", "backoff": "the backoff", "unschedulable": "unschedulable"}[where]
    colon = "" if where == "backoff" else ":"
    return f"pod{colon} {NAMESPACE}/{pod.name} is already present in {name} queue"


def present_error_with_name(pod: Pod, where: str) -> str:
    """From 1.21 on."""
    name = {"active": "the active", "backoff": "the backoff", "unschedulable": "unschedulable"}[where]
    return f"Pod {NAMESPACE}/{pod.name} is already present in {name} queue"


def is_pod_unschedulable(pod: Pod) -> bool:
    """Whether the object at hand says PodScheduled=False (`isPodUnschedulable`, 1.13; the models have one reason)."""
    return bool(pod.condition)


def failed_pod_by_flag(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    """unschedulableQ, or activeQ after a move request since the last Pop, whichever pod that was (1.13)."""
    stays = not queue.received_move_request and is_pod_unschedulable(info.pod)
    return "unschedulable" if stays else "active"


def failed_pod_by_cycle_to_active(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    """unschedulableQ, or activeQ after a move request in the pod's own cycle or since (1.13.4: no backoff queue)."""
    stays = queue.move_request_cycle < cycle and is_pod_unschedulable(info.pod)
    return "unschedulable" if stays else "active"


def failed_pod_by_cycle(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    """unschedulableQ, or the backoff queue after a move request in the pod's own cycle or since (1.14)."""
    return "backoff" if queue.move_request_cycle >= cycle else "unschedulable"


def failed_pod_by_cycle_or_error(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    """The same; the backoff queue also when no plugin rejected the pod (1.29, pull request #119105)."""
    rejected = info.unschedulable_plugins or info.pending_plugins
    return failed_pod_by_cycle(queue, info, cycle) if rejected else "backoff"


def put_back_if_not_present(
    setup: QueueSetup, queue: Queue, info: QueuedPodInfo, cycle: int, now: int, lister: PodLister | None = None
) -> tuple[str | None, Queue]:
    """`AddUnschedulableIfNotPresent` up to its deferred Done: what `add_unschedulable_if_not_present` says of the pod.

    From 1.31 on Pop takes only `activeQLock`, which is free between the two.
    """
    rules, name = setup.rules, info.pod.name
    where = sub_queue_of(queue, name)
    if where:
        return rules.already_present_error(info.pod, where), queue
    info = rules.count_failure(evolve(info, timestamp=rules.queue_timestamp(now)))
    if setup.hints is not None:
        queue = requeue_in_flight_pod(setup, queue, info, now)
        return None, nominate(setup, queue, rules.nominate_waiting(info.pod), lister)
    queue = rules.back_off_pod(setup, queue, name, now)
    match rules.queue_for_failed_pod(queue, info, cycle):
        case "unschedulable":
            queue = put_unschedulable(setup, queue, info)
        case "backoff" if is_pod_backing_off(setup, queue, info, now):
            queue = put_backoff(setup, queue, info)
        case _:
            queue = put_active(setup, queue, info)
    return None, nominate(setup, queue, rules.nominate_waiting(info.pod), lister)


def add_unschedulable_if_not_present(
    setup: QueueSetup, queue: Queue, info: QueuedPodInfo, cycle: int, now: int, lister: PodLister | None = None
) -> tuple[str | None, Queue]:
    """Put a pod back after an attempt that failed in `cycle` (`AddUnschedulableIfNotPresent`).

    Returns Go's error text when a sub-queue has the pod, else None. `cycle` means nothing in 1.13, and nothing with the
    gate SchedulerQueueingHints on, where the pod is done in either case.

    Go puts a pod that missed a move request into podBackoffQ whether or not the pod backs off. A pod that does not is
    found by the next `flushBackoffQCompleted`, within a second; here such a pod goes to activeQ at once. Only with
    backoffs of 0 is there such a pod, since a backoff begins with this call.
    """
    error, queue = put_back_if_not_present(setup, queue, info, cycle, now, lister)
    return error, done(setup, queue, info.pod.uid)


def flush_backoff_q_completed(setup: QueueSetup, queue: Queue, now: int) -> Queue:
    """Move the pods whose backoff has ended, or of which nothing is known, to activeQ (`flushBackoffQCompleted`).

    A goroutine does that every second (1.14 on). Go stops at the first that still waits; none behind it has waited
    long enough, because a backoff that is forgotten, and so sorts anew, had ended before.
    """
    ended = tuple(info for info in queue.backoff if not is_pod_backing_off(setup, queue, info, now))
    if not ended:
        return queue
    queue = evolve(queue, backoff=tuple(info for info in queue.backoff if info not in ended))
    for info in ended:
        queue = move_from_backoff_q(setup, queue, info)
    return queue


def never_flushed(config: QueueConfig) -> int | None:
    """Pods stay in unschedulableQ (1.13 before its patches)."""
    return None


def flushed_after_a_minute(config: QueueConfig) -> int | None:
    """`unschedulableQTimeInterval` (1.14 to 1.23)."""
    return 60_000


def flushed_after_configured_time(config: QueueConfig) -> int | None:
    """`podMaxInUnschedulablePodsDuration` (1.24)."""
    return config.unschedulable_timeout


def flush_unschedulable_q_leftover(setup: QueueSetup, queue: Queue, now: int) -> Queue:
    """Move the pods that wait in unschedulableQ for longer than the limit (`flushUnschedulableQLeftover`).

    A goroutine does that every 30 s (1.14 on). From 1.24 on the name ends in PodsLeftover.
    """
    limit = setup.rules.unschedulable_time_limit(setup.config)
    if limit is None:
        return queue
    infos = tuple(info for info in queue.unschedulable if now - info.timestamp > limit)
    return move_pods(setup, queue, infos, UNSCHEDULABLE_TIMEOUT, now) if infos else queue


def deleted_leaves_waiting(queue: Queue, name: str) -> Queue:
    """A pod that is not in activeQ leaves both other sub-queues (up to 1.32).

    Its backoff is forgotten only when it was not in activeQ (1.14 to 1.17).
    """
    if find(queue.active, name):
        return evolve(queue, active=without(queue.active, name))
    queue = clear_pod_backoff(queue, name)
    return evolve(queue, backoff=without(queue.backoff, name), unschedulable=without(queue.unschedulable, name))


def deleted_leaves_first(queue: Queue, name: str) -> Queue:
    """The pod leaves activeQ, or else the backoff queue, or else unschedulablePods (1.33, #130772)."""
    if find(queue.active, name):
        return evolve(queue, active=without(queue.active, name))
    if find(queue.backoff, name):
        return evolve(queue, backoff=without(queue.backoff, name))
    return evolve(queue, unschedulable=without(queue.unschedulable, name))


def delete(setup: QueueSetup, queue: Queue, pod: Pod) -> Queue:
    """Forget the pod, found by name, and the nomination of this object (`Delete`)."""
    return delete_nominated_pod_if_exists(setup, setup.rules.forget_deleted(queue, pod.name), pod)
