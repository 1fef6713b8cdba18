"""A fix of ASYNC-PREEMPT-REPEAT-LATE: PreEnqueue holds a pod back as long as the pod is in `preempting`.

From 1.35 on PreEnqueue lets the pod pass when the last victim terminates, while the goroutine still runs. If PreEnqueue
asks `preempting` alone, the goroutine must activate the pod at each of its ends. Upstream has the second half as
#142294, open. Try it:

    kubeproof validate examples/fixes/hold_while_preempting.py --release 1.36.2 --engine explicit
"""

from collections.abc import Callable

from model.scheduler.preemption.async_preemption import Preempting

CURES = "ASYNC-PREEMPT-REPEAT-LATE"


def is_pod_running_preemption(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    """executor.go isRunningPreemption: `e.preempting.Has(uid)`, whatever the last victim is."""
    return known.running


def activates_preemptor(failed: bool, all_gone: bool) -> bool:
    """executor.go prepareCandidateAsync: `Activate` without `if result == metrics.GoroutineResultError`."""
    return True
