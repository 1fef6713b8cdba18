"""What preemption answers where no pod is deleted: a status, and the reason.

Go: `Preempt` in pkg/scheduler/core/generic_scheduler.go (to 1.18), `PostFilter` and `preempt` in
framework/plugins/defaultpreemption (1.19 on), `Preempt` in framework/preemption/preemption.go (1.23 on).
"""

from model.scheduler.framework.status import SUCCESS, Code, Status


def says_nothing(reason: str) -> Status:
    """To 1.18: no error, and no reason."""
    return SUCCESS


def says_unschedulable(reason: str) -> Status:
    """1.19 and 1.20 for every reason; to 1.23 for a pod that may not preempt."""
    return Status(Code.UNSCHEDULABLE)


def says_why(reason: str) -> Status:
    """1.21 to 1.23, of a pod that no node has a candidate for."""
    return Status(Code.UNSCHEDULABLE, (reason,))


def says_why_preemption_failed(reason: str) -> Status:
    """1.24 on."""
    return Status(Code.UNSCHEDULABLE, (f"preemption: {reason}",))


def none_to_schedule_pods() -> str:
    """To 1.20: the error of a preemption without nodes."""
    return "no nodes available to schedule pods"


def none_available() -> str:
    """1.21 on."""
    return "no nodes available"
