"""The upstream fix of the first leak of queueing hints: Done is called of a pod that the scheduler skips.

Pull request #126962 (1.32.0-alpha.1). A pod that is being deleted, or that is assumed, is popped and skipped. Without
Done the pod stays in flight for ever, and so does every event that comes. The fix needs the other one,
`pop_discards_in_flight.py`: without it a pod that was popped twice is skipped the second time, and this Done takes away
the entry of the cycle that still runs. Try it:

    kubeproof validate examples/fixes/done_when_skipped.py --release 1.31.13
"""

CURES = "QH-DONE-SKIP"


def done_when_skipped() -> bool:
    """schedule_one.go ScheduleOne, where skipPodSchedule says yes."""
    return True
