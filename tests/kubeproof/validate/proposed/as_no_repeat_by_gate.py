"""ASYNC-PREEMPT-REPEAT-LATE: PreEnqueue asks `preempting` alone, and nothing more.

Wrong: the preemptor may wait for ever.
"""

from collections.abc import Callable

from model.scheduler.preemption.async_preemption import Preempting

CURES = "ASYNC-PREEMPT-REPEAT-LATE"


def is_pod_running_preemption(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    return known.running
