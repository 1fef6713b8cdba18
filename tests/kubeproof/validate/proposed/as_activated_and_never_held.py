"""The preemptor is always activated, and never held back. Wrong: a second goroutine begins beside the first."""

from collections.abc import Callable

from model.scheduler.preemption.async_preemption import Preempting

CURES = "ASYNC-PREEMPT-STUCK"


def activates_preemptor(failed: bool, all_gone: bool) -> bool:
    return True


def is_pod_running_preemption(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    return False
