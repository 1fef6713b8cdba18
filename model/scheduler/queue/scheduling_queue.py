"""PriorityQueue: pods that wait to be scheduled, in activeQ, in the backoff queue or in unschedulableQ.

Go: pkg/scheduler/internal/queue/scheduling_queue.go, releases 1.13 to 1.31, and from 1.28 on with the gate
SchedulerQueueingHints on or off; 1.32 to 1.36: pkg/scheduler/backend/queue/. In Go's order. Each function is one step
under `PriorityQueue.lock`. Other parts of the Go file stand beside this one: Update in update.py and
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
 - 1.34: rejections and errors are counted in place of attempts; what a plugin hears of is narrower (narrow_events.py).
Pod groups and PopSpecificPod are left out (gate GenericWorkload, off by default), and so are the signatures of pods,
which the queue keeps and does not read.

Where Python and Go differ, and no trace shows that:
 - Pop of an empty activeQ blocks in Go; here `heads` is empty, and nobody calls `pop`. Nobody closes a queue.
 - Go asks whether a heap's Add failed, which it does for no pod; here only moves know of such a failure.
 - PreEnqueue plugins (1.26 on) hold a pod back only where a system has such plugins: pre_enqueue.py.
 - Go's podBackoffQ is a heap by end of backoff, its unschedulableQ a map; here both are sorted as activeQ is. No
   operation reads that order.
 - An operation of the nominator comes last here, in Go sometimes first: the sub-queues never read the nominator.
Two more are said where they are: in `add_unschedulable_if_not_present` and in `flush_backoff_q_completed`.

The file is longer than others because these functions are one type in Go, and are read beside it from top to bottom.
"""

from functools import partial
from math import inf

from model.evolve import evolve
from model.go.errors import met_error
from model.objects import NAMESPACE, Pod
from model.scheduler.queue import backoff as queue_backoff
from model.scheduler.queue.backoff import attempts_that_count, clear_pod_backoff, is_pod_backing_off
from model.scheduler.queue.came import event_came
from model.scheduler.queue.events import FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT
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
from model.scheduler.queue.rules import QueueSetup as QueueSetup
from model.scheduler.queue.state import (
    InFlightEvent,
    Infos,
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

# The lock of every operation of the queue but Pop, of which `pop_lock` tells.
LOCK = "PriorityQueue.lock"
# What Go logs of a pod that Pop discards (1.32).
TRACKED_TWICE = "the same pod is tracked in multiple places in the scheduler, and just discard it"


def order_by_priority(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """Higher priority first (`HigherPriorityPod`, 1.13); by name where the heap's order is left open."""
    return (-info.pod.priority, info.pod.name)


def order_by_priority_and_timestamp(info: QueuedPodInfo) -> tuple[int | str, ...]:
    """Higher priority first, then the older timestamp (`activeQComp`, 1.14; later the plugin PrioritySort)."""
    return (-info.pod.priority, info.timestamp)


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


def _where(queue: Queue, name: str) -> str:
    """The sub-queue that has this name, in the order in which Go looks; "" when none has."""
    if find(queue.unschedulable, name):
        return "unschedulable"
    if find(queue.active, name):
        return "active"
    return "backoff" if find(queue.backoff, name) else ""


def add_if_not_present(setup: QueueSetup, queue: Queue, pod: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """Put the pod into activeQ and nominate it, unless a sub-queue has it (`AddIfNotPresent`, 1.13 to 1.16)."""
    if _where(queue, pod.name):
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
    where = _where(queue, name)
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


def heads_of_equal_priority(active: Infos) -> tuple[int, ...]:
    """Every pod of the highest priority: which one is on top depends on what the heap did before (1.13)."""
    return tuple(i for i, info in enumerate(active) if info.pod.priority == active[0].pod.priority)


def only_head(active: Infos) -> tuple[int, ...]:
    """The first: no two pods have one timestamp, on a clock that counts ns (1.14)."""
    return (0,) if active else ()


def heads(setup: QueueSetup, queue: Queue) -> tuple[int, ...]:
    """The places in `queue.active` that `pop` may take from, () while it blocks."""
    return setup.rules.active_q_heads(queue.active)


def pop_under_lock() -> str:
    """Pop waits for every other operation of the queue, and they for Pop (1.13 to 1.30)."""
    return LOCK


def pop_under_active_q_lock() -> str:
    """Pop takes `activeQLock` alone, and may come between two pods of one move (1.31, #125692)."""
    return "PriorityQueue.activeQLock"


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


def pop_keeping_failures(info: QueuedPodInfo) -> QueuedPodInfo:
    """The same; what is counted of failures stays (1.34).

    From 1.36 on `handleSchedulingFailure` forgets the plugins in place of Pop. Nobody reads them in between.
    """
    popped = pop_clearing_plugins(info)
    return evolve(
        popped,
        unschedulable_count=info.unschedulable_count,
        consecutive_errors_count=info.consecutive_errors_count,
    )


def discard_before_pop(setup: QueueSetup, queue: Queue) -> Queue:
    """The queue less the pods at the head of activeQ that Pop discards, which is the first that Pop does (1.32).

    Go logs an error of each (`unlockedPop`). From 1.33 on, when activeQ is empty, the head is one of the backoff queue.
    """
    hints, queue = setup.hints, _with_head(setup, queue)
    while hints is not None and queue.active and hints.discard_popped(queue, queue.active[0].pod.uid):
        met_error("unlockedPop", TRACKED_TWICE, queue.active[0].pod.uid)
        queue = _with_head(setup, evolve(queue, active=queue.active[1:]))
    return queue


def _backoff_end(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> float:
    """When the pod's backoff ends; before all others if there is none."""
    end = setup.rules.backoff_time(setup, queue, info)
    return -inf if end is None else end


def _with_head(setup: QueueSetup, queue: Queue) -> Queue:
    """The queue with the pod in activeQ that Pop takes from the backoff queue if activeQ is empty (`popBackoff`, 1.33).

    The pod whose backoff ends first, of several in one window the first by the order of activeQ
    (`lessBackoffCompletedWithPriority`). Not a pod that met an error: such a pod is in `podErrorBackoffQ`.
    """
    if queue.active or not setup.pop_from_backoff:
        return queue
    may_be_popped = [info for info in queue.backoff if info.rejected]
    if not may_be_popped:
        return queue
    # `min` takes the first of equal ones, and they are in the order of activeQ.
    info = min(may_be_popped, key=partial(_backoff_end, setup, queue))
    return evolve(queue, active=(info,), backoff=without(queue.backoff, info.pod.name))


def head(setup: QueueSetup, queue: Queue) -> QueuedPodInfo | None:
    """The record that Pop looks at first, None while Pop blocks."""
    return next(iter(_with_head(setup, queue).active), None)


def pop(setup: QueueSetup, queue: Queue, head: int = 0) -> tuple[QueuedPodInfo, Queue]:
    """Take a pod out of activeQ, which must not be empty, and begin a cycle (`Pop`, after `discard_before_pop`).

    `head` is one of `heads`. The pod's cycle number is `scheduling_cycle` of the queue returned (`SchedulingCycle`;
    the failure handler reads it later, when it may have grown).
    """
    info = setup.rules.popped_record(queue.active[head])
    queue = evolve(queue, active=queue.active[:head] + queue.active[head + 1 :])
    if setup.hints is not None:
        queue = setup.hints.note_popped(queue, info.pod.uid)
    return info, setup.rules.begin_cycle(queue)


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


# ------------------------------------------------------------------ for explorers


_BACKS_OFF_BY_ATTEMPTS = is_in(
    "backoff_time",
    (
        queue_backoff.backoff_time_by_attempts,
        queue_backoff.backoff_time_of_tried_pod,
        queue_backoff.backoff_time_in_window,
    ),
)
_BACKS_OFF_BY_FAILURES = is_in("backoff_time", (queue_backoff.backoff_time_by_failures,))


def forget_attempts(setup: QueueSetup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
    """The record with attempts and failures cut to what a rule of this release can still tell apart.

    `popped`: the pod is in flight. When it comes back, one more failure is counted.
    """
    if ask(setup.rules, _BACKS_OFF_BY_FAILURES):
        most = attempts_that_count(setup.config)
        return _with_few_failures(evolve(info, attempts=0), most, most - 1 if popped else most)
    most = attempts_that_count(setup.config) if ask(setup.rules, _BACKS_OFF_BY_ATTEMPTS) else 0
    return info if info.attempts <= most else evolve(info, attempts=most)


def _with_few_failures(info: QueuedPodInfo, most: int, keep: int) -> QueuedPodInfo:
    """The record with failures up to `keep`, where backoffs do not grow after `most` failures."""
    rejections, errors = min(info.unschedulable_count, keep), min(info.consecutive_errors_count, keep)
    if most == 1:
        # All backoffs are as long as each other: whether there was a failure is all that counts.
        rejections, errors = max(rejections, errors), 0
    return evolve(info, unschedulable_count=rejections, consecutive_errors_count=errors)
