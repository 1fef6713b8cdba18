"""ASYNC-PREEMPT-STUCK: activated always, and held only for the last victim.

Wrong: with two victims it preempts twice.
"""

from collections.abc import Callable

from model.scheduler.preemption.async_preemption import Preempting

CURES = "ASYNC-PREEMPT-STUCK"


def activates_preemptor(failed: bool, all_gone: bool) -> bool:
    return True


def is_pod_running_preemption(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    return bool(known.last_victim) and is_there(known.last_victim)
