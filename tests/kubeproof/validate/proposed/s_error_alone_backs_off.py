"""QUEUE-ERROR-STUCK: a pod backs off if, and only if, it met an error.

Wrong: a move request during its cycle is lost.
"""

from model.scheduler.queue.state import Queue, QueuedPodInfo, SubQueue

CURES = "QUEUE-ERROR-STUCK"


def queue_for_failed_pod(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    return "unschedulable" if info.unschedulable_plugins else "backoff"
