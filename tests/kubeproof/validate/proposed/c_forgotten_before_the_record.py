"""CYCLE-RESERVE-NOT-FORGOTTEN: Unreserve and ForgetPod before the failure is recorded. Right: #93831 has this order."""

from model.scheduler.cycle_points import Undoing

CURES = "CYCLE-RESERVE-NOT-FORGOTTEN"


def after_failed_reserve() -> Undoing:
    return ("unreserve", "forget", "record")
