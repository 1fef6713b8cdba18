"""A wrong fix: every pod whose attempt failed goes straight into activeQ. The pod is tried again and again at once."""

from model.scheduler.queue.state import Queue, QueuedPodInfo, SubQueue


def queue_for_failed_pod(queue: Queue, info: QueuedPodInfo, cycle: int) -> SubQueue:
    return "active"
