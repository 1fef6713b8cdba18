"""Measurements against named peers, in one run on one machine. Nothing here is a test."""

import resource


def cpu_of_children() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
