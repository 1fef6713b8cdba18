"""CYCLE-RESERVE-NO-UNRESERVE (1.17): one order of undoing for Reserve and Permit.

Wrong: the assumed pod is not forgotten.
At Reserve the pod is not assumed yet in 1.17, at Permit it is.
"""

from model.scheduler.cycle_points import Undoing

CURES = "CYCLE-RESERVE-NO-UNRESERVE"


def after_failed_reserve() -> Undoing:
    return ("unreserve", "record")


def after_failed_permit() -> Undoing:
    return ("unreserve", "record")
