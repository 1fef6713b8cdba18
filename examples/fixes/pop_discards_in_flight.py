"""The upstream fix of the second leak of queueing hints: Pop discards a pod that is in flight already.

Pull request #127016 (1.32.0-alpha.1). A pod that is popped twice has two elements in inFlightEvents, and Done takes out
one: the other stays for ever, and so does every event behind it. The fix opens a hole: a failed pod that goes back to
activeQ is in flight until the deferred Done. A Pop in between discards the pod, and nobody has the pod any more
(`done_before_requeue.py` closes the hole). Try it:

    kubeproof validate examples/fixes/pop_discards_in_flight.py --release 1.31.13
"""

from model.scheduler.queue.state import Queue

CURES = "QH-DUP-ELEMENT"


def discard_popped(queue: Queue, uid: str) -> bool:
    """scheduling_queue.go Pop, of the pod at the head of activeQ."""
    return any(pod.uid == uid for pod in queue.in_flight_pods)
