"""Which pods are the scheduler's own: those whose schedulerName one of its profiles has. Pure functions.

Go: `responsibleForPod` in pkg/scheduler/eventhandlers.go (factory/factory.go in 1.13), `profileForPod` in scheduler.go
(1.18, 1.19), `frameworkForPod` (1.20 on; 1.24 on in schedule_one.go). Up to 1.17 a scheduler has one name and no
profiles.

The handler of unassigned pods hears of no other pod. But whoever puts a pod back after a failure takes the pod that now
has the name, and asks nobody whose pod this is: see error_func.py.
"""

from collections.abc import Callable

from attrs import frozen

from model.objects import Pod


def responsible_for_pod(pod: Pod) -> bool:
    """Whether the pod names a profile of the scheduler, or up to 1.17 the scheduler."""
    return not pod.scheduler_name


def schedules_any_pod(pod: Pod) -> bool:
    """To 1.17: a popped pod is scheduled, whomever it names."""
    return True


@frozen(slots=False, kw_only=True)
class ProfileRules:
    """What becomes of a popped pod of another scheduler."""

    # Whether a cycle of the popped pod begins. Else an error is logged, and that is all: to 1.31 nobody calls Done.
    is_scheduled: Callable[[Pod], bool]
