"""What becomes of a pod by the hints that plugins give, with the gate SchedulerQueueingHints on. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go (1.32 on pkg/scheduler/backend/queue/scheduling_queue.go),
`determineSchedulingHintForInFlightPod` and `requeuePodViaQueueingHint`; under `PriorityQueue.lock`. What a hint is, and
`isPodWorthRequeuing`: events.py. Releases:
 - 1.28.0: a pod that no plugin rejected waits for the flush, unless the queue keeps any event at all;
 - 1.28.2 (#120413 by #120445): unless the queue keeps an event that came since the pod's Pop;
 - 1.29 (#119105): such a pod goes to the backoff queue, whatever came (QUEUE-ERROR-STUCK);
 - 1.31: so does a pod of which the queue does not know that it is in flight;
 - 1.32: the queue asks what came in the meantime only for a pod that a plugin rejected.
"""

from model.go.errors import met_error
from model.scheduler.queue.backoff import is_pod_backing_off
from model.scheduler.queue.events import Hint
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import InFlightEvent, Queue, QueuedPodInfo
from model.scheduler.queue.sub_queues import move_to_active_q, put_backoff, put_unschedulable
from model.variables import asked_of

# What Go logs of a pod that comes back from an attempt and is not in flight: up to 1.30, and from 1.31 on.
_NOT_FOUND = (
    "In flight Pod isn't found in the scheduling queue. If you see this error log, it's likely a bug in the scheduler."
)
_NOT_FOUND_1_31 = (
    "in flight Pod isn't found in the scheduling queue. If you see this error log, it's likely a bug in the scheduler"
)


def gate_on() -> bool:
    """SchedulerQueueingHints is on by default (1.28.0 to 1.28.4, 1.32 on)."""
    return True


def gate_off() -> bool:
    """SchedulerQueueingHints is off by default (1.28.5 to 1.31)."""
    return False


def gate_does_not_stay_on() -> bool:
    """There is no gate SchedulerQueueingHints, or a later release has it off again (up to 1.31)."""
    return False


def gate_stays_on() -> bool:
    """From here on every release has the gate on by default (1.32, #128472)."""
    return True


def gate_may_be_set() -> bool:
    """`--feature-gates SchedulerQueueingHints=false` switches the hints off (1.28 to 1.33)."""
    return False


def gate_is_locked() -> bool:
    """The gate is GA and locked to its default (1.34)."""
    return True


def pop_leaves_backoff_q_alone() -> bool:
    """Pop takes pods from activeQ alone (up to 1.32)."""
    return False


def pop_takes_from_backoff_q() -> bool:
    """When activeQ is empty, Pop takes the next pod of the backoff queue, unless it met an error (1.33, #130772)."""
    return True


def update_holds_pop_lock() -> bool:
    """Nobody pops the pod in the midst of Update: one lock (up to 1.30), or under activeQ's lock throughout (1.35)."""
    return True


def update_leaves_pop_lock() -> bool:
    """Update takes activeQ's lock for each look (1.31 to 1.34, QH-UPDATE-POP-RACE)."""
    return False


def requeue_wakes_nobody() -> bool:
    """A Pop that sleeps goes on sleeping when a failed pod goes to activeQ (1.28.0-beta.0, QH-NO-BROADCAST)."""
    return False


def requeue_broadcasts() -> bool:
    """`cond.Broadcast` follows (1.28.0-rc.1, #119784)."""
    return True


def no_plugin_leaves_pending() -> bool:
    """A plugin rejects a pod or not; its hint function says whether the pod backs off (1.28)."""
    return False


def plugins_leave_pending() -> bool:
    """`framework.Pending` is a status of its own, and `PendingPlugins` are kept apart (1.29, #119517)."""
    return True


def hint_functions_answer_no_errors() -> bool:
    """A hint function answers a hint and nothing else (1.28)."""
    return False


def hint_functions_answer_errors() -> bool:
    """A hint function may answer an error, which is logged and counts as Queue (1.29, #119290)."""
    return True


def _strongest_hint(setup: QueueSetup, info: QueuedPodInfo, events: tuple[InFlightEvent, ...]) -> Hint:
    answer: Hint = "QueueSkip"
    for each in events:
        if each.only_for not in ("", info.pod.uid):
            continue
        hint = setup.rules.worth_requeuing(info, each.event, setup.config.cluster_event_map)
        if hint == "QueueImmediately":
            return hint
        if hint == "QueueAfterBackoff":
            answer = hint
    return answer


def _events(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> tuple[InFlightEvent, ...] | None:
    return None if setup.hints is None else setup.hints.events_for_pod(queue, info.pod.uid)


def _cluster_events_for_pod(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> tuple[InFlightEvent, ...] | None:
    """The events since the pod's Pop (`clusterEventsForPod`, 1.31 on); None and an error of a pod not in flight."""
    events = _events(setup, queue, info)
    if events is None:
        met_error("clusterEventsForPod", _NOT_FOUND_1_31, info.pod.uid)
    return events


def hint_by_any_event(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Hint:
    """A pod that no plugin rejected is tried again if the queue keeps any event, also of before its Pop (1.28.0)."""
    if not info.unschedulable_plugins:
        return "QueueAfterBackoff" if asked_of(queue.in_flight_events, bool) else "QueueSkip"
    events = _events(setup, queue, info)
    if events is None:
        met_error("determineSchedulingHintForInFlightPod", _NOT_FOUND, info.pod.uid)
        return "QueueAfterBackoff"
    return _strongest_hint(setup, info, events)


def _hint_for_unknown_pod(queue: Queue, info: QueuedPodInfo) -> Hint:
    """Of a pod that is not in flight (1.28.2 to 1.30): in Go's list are events if the list is longer than the map."""
    if info.unschedulable_plugins:
        met_error("determineSchedulingHintForInFlightPod", _NOT_FOUND, info.pod.uid)
        return "QueueAfterBackoff"
    events, pods = asked_of(queue.in_flight_events, len), asked_of(queue.in_flight_pods, len)
    return "QueueAfterBackoff" if events > pods else "QueueSkip"


def hint_by_event_since_pop(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Hint:
    """A pod that no plugin rejected is tried again if any event came since its Pop (1.28.2)."""
    events = _events(setup, queue, info)
    if events is None:
        return _hint_for_unknown_pod(queue, info)
    if not info.unschedulable_plugins:
        return "QueueAfterBackoff" if events else "QueueSkip"
    return _strongest_hint(setup, info, events)


def hint_after_error(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Hint:
    """A pod that no plugin rejected met an error, and is tried again in any case (1.29, #119105)."""
    events = _events(setup, queue, info)
    if events is None:
        return _hint_for_unknown_pod(queue, info)
    rejected = info.unschedulable_plugins or info.pending_plugins
    return _strongest_hint(setup, info, events) if rejected else "QueueAfterBackoff"


def hint_after_error_or_unknown(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Hint:
    """The same, and a pod that is not in flight is tried again in any case (1.31)."""
    events = _cluster_events_for_pod(setup, queue, info)
    rejected = info.unschedulable_plugins or info.pending_plugins
    return "QueueAfterBackoff" if events is None or not rejected else _strongest_hint(setup, info, events)


def hint_of_rejected_pod(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Hint:
    """The same, but a pod that no plugin rejected need not be in flight (1.32)."""
    if not (info.unschedulable_plugins or info.pending_plugins):
        return "QueueAfterBackoff"
    events = _cluster_events_for_pod(setup, queue, info)
    return "QueueAfterBackoff" if events is None else _strongest_hint(setup, info, events)


def requeue_pod_via_queueing_hint(setup: QueueSetup, queue: Queue, info: QueuedPodInfo, hint: Hint, now: int) -> Queue:
    """Put the pod where the hint says (`requeuePodViaQueueingHint`).

    QueueImmediately: to activeQ. QueueAfterBackoff: to the backoff queue while the pod backs off, else to activeQ.
    QueueSkip: to unschedulableQ. Only what goes to activeQ leaves the other sub-queues. A pod that a PreEnqueue plugin
    holds back goes to unschedulableQ in place of activeQ.
    """
    if hint == "QueueSkip":
        return put_unschedulable(setup, queue, info)
    if hint == "QueueAfterBackoff" and is_pod_backing_off(setup, queue, info, now):
        return put_backoff(setup, queue, info)
    return move_to_active_q(setup, queue, info)


def requeue_in_flight_pod(setup: QueueSetup, queue: Queue, info: QueuedPodInfo, now: int) -> Queue:
    """Put a pod back whose attempt failed, by the events that came meanwhile (`AddUnschedulableIfNotPresent`)."""
    assert setup.hints is not None
    return requeue_pod_via_queueing_hint(
        setup, queue, info, setup.hints.hint_for_in_flight_pod(setup, queue, info), now
    )
