"""QUEUE-ERROR-STUCK, #119105 for 1.22: a pod whose attempt met an error backs off, as after a move request. Right."""

from model.scheduler.queue.state import Queue, QueuedPodInfo, SubQueue

CURES = "QUEUE-ERROR-STUCK"


def queue_for_failed_pod(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    return "backoff" if queue.move_request_cycle >= cycle or not info.unschedulable_plugins else "unschedulable"
