"""Calls Unreserve when a Reserve plugin fails, as #92391 does, in the order of 1.17: the pod is not assumed yet. Try:

kubeproof validate examples/fixes/unreserve_when_reserve_fails.py --release 1.17.10
"""

from model.scheduler.cycle_points import Undoing


def after_failed_reserve() -> Undoing:
    return ("unreserve", "record")
