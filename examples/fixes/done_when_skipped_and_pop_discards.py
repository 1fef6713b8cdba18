"""Both upstream fixes of the leaks of queueing hints: `done_when_skipped.py` and `pop_discards_in_flight.py`.

Pull requests #126962 and #127016 came together, in 1.32.0-alpha.1. What stays: a pod that is deleted and created again
while its attempt fails (issue #138316), and the hole that `done_before_requeue.py` closes. Try it:

    kubeproof validate examples/fixes/done_when_skipped_and_pop_discards.py --release 1.31.13
"""

from model.scheduler.queue.state import Queue

CURES = ("QH-DONE-SKIP", "QH-DUP-ELEMENT")


def done_when_skipped() -> bool:
    """schedule_one.go ScheduleOne, where skipPodSchedule says yes."""
    return True


def discard_popped(queue: Queue, uid: str) -> bool:
    """scheduling_queue.go Pop, of the pod at the head of activeQ."""
    return any(pod.uid == uid for pod in queue.in_flight_pods)
