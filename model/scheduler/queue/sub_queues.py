"""How a record gets into one of the three sub-queues. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go; all run under `PriorityQueue.lock`.
"""

from model.evolve import evolve
from model.scheduler.queue.pre_enqueue import run_pre_enqueue_plugins
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, find, put, without


def put_active(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """`activeQ.Add`, of a pod that activeQ has or that no PreEnqueue plugin holds back; see `move_to_active_q`."""
    if setup.pre_enqueue and find(queue.active, info.pod.name) is None:
        info = run_pre_enqueue_plugins(setup.pre_enqueue, queue, info)
        if info.gated:
            return put_unschedulable(setup, queue, info)
    return evolve(queue, active=put(queue.active, info, setup.rules.active_q_order))


def put_backoff(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """`podBackoffQ.Add`; 1.33 on `moveToBackoffQ`, which asks the PreEnqueue plugins if Pop takes pods from there."""
    if setup.pop_from_backoff and setup.pre_enqueue and find(queue.backoff, info.pod.name) is None:
        info = run_pre_enqueue_plugins(setup.pre_enqueue, queue, info)
        if info.gated:
            return put_unschedulable(setup, queue, info)
    return evolve(queue, backoff=put(queue.backoff, info, setup.rules.active_q_order))


def put_unschedulable(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """`unschedulableQ.addOrUpdate`."""
    return evolve(queue, unschedulable=put(queue.unschedulable, info, setup.rules.active_q_order))


def leave_others(queue: Queue, name: str) -> Queue:
    """The queue with the pod of this name in no other sub-queue than activeQ (`moveToActiveQ`, 1.31).

    Up to 1.30 no pod of activeQ is in another sub-queue. From 1.31 on the update of a pod with queueing hints may leave
    the pod in the backoff queue and in unschedulableQ (see update_with_hints.py).
    """
    if find(queue.unschedulable, name) is None and find(queue.backoff, name) is None:
        return queue
    return evolve(queue, unschedulable=without(queue.unschedulable, name), backoff=without(queue.backoff, name))


def move_to_active_q(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """Put the pod into activeQ and out of the other sub-queues, unless a PreEnqueue plugin holds the pod back.

    `addToActiveQ`; 1.31 on `moveToActiveQ`. A pod that is held back goes to unschedulablePods.
    """
    name, rules = info.pod.name, setup.pre_enqueue_rules
    after = put_active(setup, queue, info)
    if find(after.active, name) is not None:
        return leave_others(after, name)
    stays = rules is not None and rules.gated_when_activated() != "both" and find(queue.backoff, name) is not None
    return queue if stays else after


def move_from_backoff_q(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """The same of a pod of the backoff queue, of which the plugins may have been asked before."""
    if setup.pop_from_backoff:
        active = put(queue.active, info, setup.rules.active_q_order)
        return leave_others(evolve(queue, active=active), info.pod.name)
    return move_to_active_q(setup, queue, info)
