"""CYCLE-RESERVE-NO-UNRESERVE and CYCLE-UNRESERVE-ORDER (1.17): Unreserve, the last plugin first, as 1.19 has it.

Right.
"""

from model.scheduler.cycle_points import Undoing

CURES = ("CYCLE-RESERVE-NO-UNRESERVE", "CYCLE-UNRESERVE-ORDER")


def after_failed_reserve() -> Undoing:
    return ("unreserve", "record")


def unreserves_in_reverse() -> bool:
    return True
