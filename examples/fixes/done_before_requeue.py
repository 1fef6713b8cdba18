"""The upstream fix of pods that the queue forgets, as its text says: Done comes before the failed pod goes back.

Pull request #139450. From 1.32 on Pop discards a pod that is in flight. AddUnschedulableIfNotPresent defers its Done,
so a failed pod that goes to activeQ is in flight still. A Pop in between discards the pod (issue #139186). What the fix
leaves open: a pod that is in activeQ already is not put back, and its Done stays deferred. `done_if_present_too.py`
goes on from here. Try it:

    kubeproof validate examples/fixes/done_before_requeue.py --release 1.32.2
"""

CURES = "QH-POP-BEFORE-DONE"


def done_before_requeue(present: bool) -> bool:
    """scheduling_queue.go AddUnschedulableIfNotPresent."""
    return not present
