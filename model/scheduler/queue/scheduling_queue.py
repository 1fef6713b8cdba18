"""PriorityQueue: pods that wait to be scheduled, in activeQ, in the backoff queue or in unschedulableQ.

Go: pkg/scheduler/internal/queue/scheduling_queue.go, releases 1.13 to 1.31 (from 1.28 on with the gate
SchedulerQueueingHints off). Each function is one step under `PriorityQueue.lock`. What releases do differently:
 - 1.13: two sub-queues, activeQ by priority alone, `receivedMoveRequest`; no backoff, no flush (QUEUE-STUCK-NO-FLUSH);
 - 1.14: podBackoffQ and backoff by pod name, order by priority and timestamp, cycle numbers, flush after 60 s;
 - 1.16: a pod that cannot be moved is kept (`queue_move`);
 - 1.17: Pop hands out a record with its attempts; no AddIfNotPresent any more; backoff kept longer (patches);
 - 1.18: backoff by attempts and timestamp of the record; 1.19: the nominator's own lock (`nominator`);
 - 1.21: events are compared with the plugins that rejected the pod; backoff survives an update (`queue_update`);
 - 1.23: `preCheck`, Activate; 1.24: flush after 5 min, configurable; 1.28: Pop clears the rejecting plugins;
 - 1.29: a pod that no plugin rejected goes to the backoff queue (QUEUE-ERROR-STUCK).

An operation changes the sub-queues and asks the nominator for one thing at most (`Effect`); functions ending in
`_queues` do only the former, for systems that let the nominator's own lock (1.19 to 1.26) be taken in between. The
sub-queues never read the nominator, so the two halves commute with everything but their own kind.
"""

from collections.abc import Container

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue import backoff as queue_backoff
from model.scheduler.queue import move as queue_move
from model.scheduler.queue.backoff import attempts_that_count, clear_pod_backoff
from model.scheduler.queue.events import (
    ASSIGNED_POD_ADD,
    UNSCHEDULABLE_TIMEOUT,
    WILD_CARD_EVENT,
    ClusterEvent,
)
from model.scheduler.queue.move import PreEnqueueCheck, put_active, put_backoff, put_unschedulable
from model.scheduler.queue.nominator import NominatorCall, PodLister, apply_call, pods_for_node
from model.scheduler.queue.rules import QueueRules as QueueRules
from model.scheduler.queue.rules import QueueSetup as QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, find, put, without
from model.scheduler.queue.update import Effect


def settle(setup: QueueSetup, effect: Effect, lister: PodLister | None = None) -> Queue:
    """The queue after both halves of an operation."""
    queue, call = effect
    if call is None:
        return queue
    nominator = apply_call(setup.nominator_rules, queue.nominator, call, lister)
    return queue if nominator is queue.nominator else evolve(queue, nominator=nominator)


def add(setup: QueueSetup, queue: Queue, pod: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """Put a new pod into activeQ, out of any other sub-queue, and nominate it if its status says so (`Add`)."""
    return settle(setup, add_queues(setup, queue, pod, now), lister)


def add_queues(setup: QueueSetup, queue: Queue, pod: Pod, now: int) -> Effect:
    """`add` less the nominator's half."""
    waited = find(queue.unschedulable, pod.name) is not None
    info = QueuedPodInfo(pod, setup.rules.queue_timestamp(now))
    queue = evolve(
        queue,
        active=put(queue.active, info, setup.rules.active_q_order),
        unschedulable=without(queue.unschedulable, pod.name),
        backoff=without(queue.backoff, pod.name),
    )
    return queue, setup.rules.nominate_added(pod, waited)


def add_if_not_present(setup: QueueSetup, queue: Queue, pod: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """Put the pod into activeQ and nominate it, unless a sub-queue has it (`AddIfNotPresent`, 1.13 to 1.16)."""
    if _where(queue, pod.name):
        return queue
    queue = put_active(setup, queue, QueuedPodInfo(pod, setup.rules.queue_timestamp(now)))
    return settle(setup, (queue, NominatorCall("add", pod)), lister)


def heads(setup: QueueSetup, queue: Queue) -> tuple[int, ...]:
    """The places in `queue.active` that `pop` may take from, () while it blocks."""
    return setup.rules.active_q_heads(queue.active)


def pop(setup: QueueSetup, queue: Queue, head: int = 0) -> tuple[QueuedPodInfo, Queue]:
    """Take a pod out of activeQ, which must not be empty, and begin a cycle (`Pop`).

    `head` is one of `heads`. The pod's cycle number is `scheduling_cycle` of the queue returned (`SchedulingCycle`;
    the failure handler reads it later, when it may have grown).
    """
    info = setup.rules.popped_record(queue.active[head])
    queue = evolve(queue, active=queue.active[:head] + queue.active[head + 1 :])
    return info, setup.rules.begin_cycle(queue)


def add_unschedulable_if_not_present(
    setup: QueueSetup, queue: Queue, info: QueuedPodInfo, cycle: int, now: int, lister: PodLister | None = None
) -> tuple[str | None, Queue]:
    """Put a pod back after an attempt that failed in `cycle` (`AddUnschedulableIfNotPresent`).

    Returns Go's error text when a sub-queue has the pod, else None. `cycle` means nothing in 1.13.
    """
    error, effect = add_unschedulable_queues(setup, queue, info, cycle, now)
    return error, settle(setup, effect, lister)


def add_unschedulable_queues(
    setup: QueueSetup, queue: Queue, info: QueuedPodInfo, cycle: int, now: int
) -> tuple[str | None, Effect]:
    """`add_unschedulable_if_not_present` less the nominator's half."""
    rules, name = setup.rules, info.pod.name
    where = _where(queue, name)
    if where:
        return rules.already_present_error(info.pod, where), (queue, None)
    info = evolve(info, timestamp=rules.queue_timestamp(now))
    queue = rules.back_off_pod(setup, queue, name, now)
    match rules.queue_for_failed_pod(queue, info, cycle):
        case "unschedulable":
            queue = put_unschedulable(setup, queue, info)
        case "backoff" if queue_backoff.is_pod_backing_off(setup, queue, info, now):
            queue = put_backoff(setup, queue, info)
        case _:
            queue = put_active(setup, queue, info)
    return None, (queue, rules.nominate_waiting(info.pod))


def _where(queue: Queue, name: str) -> str:
    """The sub-queue that has this name, in the order in which Go looks; "" when none has."""
    if find(queue.unschedulable, name):
        return "unschedulable"
    if find(queue.active, name):
        return "active"
    return "backoff" if find(queue.backoff, name) else ""


def update(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """The informer brought version `new` of a pod that was `old` (`Update`); see `queue_update`."""
    return settle(setup, setup.rules.queue_update(setup, queue, old, new, now), lister)


def update_queues(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """`update` less the nominator's half."""
    return setup.rules.queue_update(setup, queue, old, new, now)


def delete(setup: QueueSetup, queue: Queue, pod: Pod) -> Queue:
    """Forget the pod, found by name, and the nomination of this object (`Delete`).

    Its backoff is forgotten only when it was not in activeQ (1.14 to 1.17).
    """
    return settle(setup, delete_queues(setup, queue, pod))


def delete_queues(setup: QueueSetup, queue: Queue, pod: Pod) -> Effect:
    """`delete` less the nominator's half, which comes first in Go."""
    call = NominatorCall("delete", pod)
    if find(queue.active, pod.name):
        return evolve(queue, active=without(queue.active, pod.name)), call
    queue = clear_pod_backoff(queue, pod.name)
    backoff, unschedulable = without(queue.backoff, pod.name), without(queue.unschedulable, pod.name)
    return evolve(queue, backoff=backoff, unschedulable=unschedulable), call


def assigned_pod_added(setup: QueueSetup, queue: Queue, pod: Pod, now: int) -> Queue:
    """A bound pod joined: move the pods that may wait for it (`AssignedPodAdded`).

    Up to 1.30 those with a required affinity that it satisfies (QUEUE-ASSIGNED-POD-AFFINITY-ONLY).
    """
    infos = setup.rules.pods_for_assigned_pod(queue, pod)
    return setup.rules.move_pods(setup, queue, infos, ASSIGNED_POD_ADD, now, ())


def assigned_pod_updated(setup: QueueSetup, queue: Queue, pod: Pod, event: ClusterEvent, now: int) -> Queue:
    """A bound pod changed into `pod`: move the pods that may wait for that (`AssignedPodUpdated`).

    `event`: what changed; ASSIGNED_POD_UPDATE up to 1.30, where Go has no such argument.
    """
    infos, event = setup.rules.pods_for_assigned_pod_update(setup.rules, queue, pod, event)
    return setup.rules.move_pods(setup, queue, infos, event, now, ())


def move_all_to_active_or_backoff_queue(
    setup: QueueSetup,
    queue: Queue,
    now: int,
    event: ClusterEvent = WILD_CARD_EVENT,
    pre_check: PreEnqueueCheck | None = None,
    add_fails: Container[str] = (),
) -> Queue:
    """Move what waits in unschedulableQ, as far as `event` and `pre_check` matter (`MoveAllToActiveOrBackoffQueue`).

    Up to 1.16 `MoveAllToActiveQueue`. `add_fails`: names that a heap's Add refuses with an error, usually none.
    """
    return setup.rules.move_pods(
        setup, queue, setup.rules.pods_for_move_request(queue, pre_check), event, now, add_fails
    )


def flush_backoff_q_completed(setup: QueueSetup, queue: Queue, now: int) -> Queue:
    """Move the pods whose backoff has ended, or of which nothing is known, to activeQ (`flushBackoffQCompleted`).

    A goroutine does that every second (1.14 on). Go stops at the first that still waits; none behind it has waited
    long enough, because a backoff that is forgotten, and so sorts anew, had ended before.
    """
    done = tuple(info for info in queue.backoff if not queue_backoff.is_pod_backing_off(setup, queue, info, now))
    if not done:
        return queue
    queue = evolve(queue, backoff=tuple(info for info in queue.backoff if info not in done))
    for info in done:
        queue = put_active(setup, queue, info)
    return queue


def flush_unschedulable_q_leftover(setup: QueueSetup, queue: Queue, now: int) -> Queue:
    """Move the pods that wait in unschedulableQ for longer than the limit (`flushUnschedulableQLeftover`).

    A goroutine does that every 30 s (1.14 on). From 1.24 on the name ends in PodsLeftover.
    """
    limit = setup.rules.unschedulable_time_limit(setup.config)
    if limit is None:
        return queue
    infos = tuple(info for info in queue.unschedulable if now - info.timestamp > limit)
    return setup.rules.move_pods(setup, queue, infos, UNSCHEDULABLE_TIMEOUT, now, ()) if infos else queue


def activate(setup: QueueSetup, queue: Queue, pod: Pod, lister: PodLister | None = None) -> Queue:
    """Put a waiting pod into activeQ at once because a plugin asked for it (`Activate`, 1.23 on)."""
    activated = queue_move.activate(setup, queue, pod.name)
    if activated is queue:
        return queue
    info = find(activated.active, pod.name)
    return settle(setup, (activated, setup.rules.nominate_waiting(info.pod) if info else None), lister)


# ------------------------------------------------------------------ nominations


def add_nominated_pod(
    setup: QueueSetup, queue: Queue, pod: Pod, node: str | None, lister: PodLister | None = None
) -> Queue:
    """Nominate the pod to `node` (`UpdateNominatedPodForNode` up to 1.18, `AddNominatedPod`; `node` as in nominator).

    Under the nominator's lock: the queue's up to 1.18 and from 1.27 on, its own in between (NOM-LOCK-RACE).
    """
    return settle(setup, (queue, setup.rules.nominate_for_node(pod, node)), lister)


def delete_nominated_pod_if_exists(setup: QueueSetup, queue: Queue, pod: Pod) -> Queue:
    """Forget the nomination of the pod (`DeleteNominatedPodIfExists`); under the nominator's lock."""
    return settle(setup, (queue, NominatorCall("delete", pod)))


def nominated_pods_for_node(setup: QueueSetup, queue: Queue, node: str) -> tuple[Pod, ...]:
    """The pods nominated to the node (`NominatedPodsForNode`; 1.13 `WaitingPodsForNode`).

    Under the nominator's lock; in 1.31 the queue's is taken after that for the pods' objects.
    """
    return tuple(setup.rules.nominated_pod(queue, pod) for pod in pods_for_node(queue.nominator, node))


# ------------------------------------------------------------------ for explorers


def forget_attempts(setup: QueueSetup, info: QueuedPodInfo) -> QueuedPodInfo:
    """The record with `attempts` cut to what a rule of this release can still tell apart."""
    by_name = setup.rules.backoff_time is not queue_backoff.backoff_time_by_attempts
    most = 0 if by_name else attempts_that_count(setup.config)
    return info if info.attempts <= most else evolve(info, attempts=most)
