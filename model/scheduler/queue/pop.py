"""Pop: which pod is tried next, and what the queue keeps of the pod. Each function is one step under the lock of Pop.

Go: `PriorityQueue.Pop`, pkg/scheduler/internal/queue/scheduling_queue.go; from 1.31 on `activeQueue.pop` in
active_queue.go there, and from 1.32 on in pkg/scheduler/backend/queue/.
"""

from functools import partial
from math import inf

from model.evolve import evolve
from model.go.errors import met_error
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Infos, Queue, QueuedPodInfo, without

# The lock of every operation of the queue but Pop, of which `pop_lock` tells.
LOCK = "PriorityQueue.lock"
# What Go logs of a pod that Pop discards (1.32).
TRACKED_TWICE = "the same pod is tracked in multiple places in the scheduler, and just discard it"


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
