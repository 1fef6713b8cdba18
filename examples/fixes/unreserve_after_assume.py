"""The same with the order of 1.19, where the pod is assumed before Reserve. Unreserve alone is not enough there.

The pod stays assumed (#93830), so this is refused; #93831 also forgets the pod. Try:

    kubeproof validate examples/fixes/unreserve_after_assume.py --release 1.17.10
"""

from model.scheduler.cycle_points import Points, Undoing


def points_in_cycle() -> Points:
    return ("assume", "delete_nominated_pod", "reserve")


def after_failed_reserve() -> Undoing:
    return ("unreserve", "record")
