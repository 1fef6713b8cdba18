"""How a record gets into one of the three sub-queues. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go; all run under `PriorityQueue.lock`.
"""

from model.evolve import evolve
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, find, put, without


def put_active(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """`activeQ.Add`."""
    return evolve(queue, active=put(queue.active, info, setup.rules.active_q_order))


def put_backoff(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> Queue:
    """`podBackoffQ.Add`."""
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
