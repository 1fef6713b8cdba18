"""The other half of what 1.18 does (#88199): Permit is asked in the scheduling cycle. The channel has no buffer.

A pod is in the map of waiting pods before the plugin is asked for the next pod. But the goroutine listens later still,
and a signal may come before. Try:

    kubeproof validate examples/fixes/permit_in_the_cycle.py --release 1.17.10
"""

from model.scheduler.cycle_points import Points


def points_in_cycle() -> Points:
    return ("reserve", "assume", "delete_nominated_pod", "permit")


def points_in_binding() -> Points:
    return ("listen", "wait_on_permit", "pre_bind", "bind")
