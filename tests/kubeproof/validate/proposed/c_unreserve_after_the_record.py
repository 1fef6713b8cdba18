"""CYCLE-RESERVE-NO-UNRESERVE (1.17): Unreserve after the failure is recorded.

Right: Pop waits for the end of the cycle.
Reserve fails in the scheduling cycle itself, so that no attempt begins between the two.
"""

from model.scheduler.cycle_points import Undoing

CURES = "CYCLE-RESERVE-NO-UNRESERVE"


def after_failed_reserve() -> Undoing:
    return ("record", "unreserve")
