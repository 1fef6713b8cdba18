"""A proposal for pods that the queue forgets: Done comes before any Pop can find the failed pod in a sub-queue.

It goes on from `done_before_requeue.py` (#139450). A pod that is in activeQ already, since it was updated during a Pop
(QH-UPDATE-POP-RACE), is not put back. AddUnschedulableIfNotPresent looks for the pod and calls Done under one hold of
activeQLock, so that no Pop in between discards the pod. Try it:

    kubeproof validate examples/fixes/done_if_present_too.py --release 1.32.2
"""

CURES = "QH-POP-BEFORE-DONE"


def done_before_requeue(present: bool) -> bool:
    """scheduling_queue.go AddUnschedulableIfNotPresent."""
    return True
