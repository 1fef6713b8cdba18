"""The upstream fix of pods that are scheduled twice at a time: Update does not queue a pod that is in flight.

Pull request #125578 (1.31.0), here for 1.28. The update of a pod in flight is kept as an event, so that the pod is
tried again if its attempt fails. Nobody pops the pod a second time, so the leak of the second element is gone too. In
1.28 this is not enough: TaintToleration waits for no update of a pod (#122234, in 1.31), so that a pod which gets its
toleration while it is tried stays in unschedulablePods. Try it:

    kubeproof validate examples/fixes/update_ignores_in_flight.py --release 1.28.3
"""

from model.objects import Pod
from model.scheduler.queue.events import UNSCHEDULABLE_POD_UPDATE
from model.scheduler.queue.in_flight import note_event
from model.scheduler.queue.rules import Effect, QueueSetup
from model.scheduler.queue.state import Queue
from model.scheduler.queue.update import update_respecting_backoff

CURES = "QH-DUP-ELEMENT"


def update_with_hints(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """scheduling_queue.go PriorityQueue.Update."""
    if any(pod.uid == new.uid for pod in queue.in_flight_pods):
        return note_event(setup, queue, UNSCHEDULABLE_POD_UPDATE), None
    return update_respecting_backoff(setup, queue, old, new, now)
