"""ASYNC-PREEMPT-STUCK and ASYNC-PREEMPT-REPEAT-LATE: held as long as the goroutine runs, and activated at its end.

Right: `hold_while_preempting.py` of the examples, in other words.
"""

from collections.abc import Callable

from model.scheduler.preemption.async_preemption import Preempting

CURES = ("ASYNC-PREEMPT-STUCK", "ASYNC-PREEMPT-REPEAT-LATE")


def activates_preemptor(failed: bool, all_gone: bool) -> bool:
    return True


def is_pod_running_preemption(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    return known.running or known.last_victim != ""
