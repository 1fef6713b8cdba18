"""At which pod Pop looks first, and which one it hands out. Pure."""

from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling.normal import with_few_attempts
from model.systems.scheduling.rules import SchedulingSetup


def looked_at_first(setup: SchedulingSetup, queue: Queue) -> list[str]:
    """The pods at which Pop may look first; with pods in flight it may discard that one."""
    if setup.queue.hints is None:
        return [queue.active[at].pod.name for at in queue_functions.heads(setup.queue, queue)]
    head = queue_functions.head(setup.queue, queue)
    return [] if head is None else [head.pod.name]


def popped(setup: SchedulingSetup, queue: Queue, name: str) -> tuple[QueuedPodInfo | None, Queue]:
    """The record that Pop hands out, and the queue; no record if Pop discards all pods of activeQ (1.32 on).

    `name`: the pod at which Pop looks first. Up to 1.31 it is the one that Pop hands out.
    """
    queue = queue_functions.discard_before_pop(setup.queue, queue)
    if not queue.active:
        return None, queue
    names = [info.pod.name for info in queue.active]
    info, queue = queue_functions.pop(setup.queue, queue, names.index(name) if setup.queue.hints is None else 0)
    return with_few_attempts(setup, info, popped=True), queue
