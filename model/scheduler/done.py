"""Where a scheduling cycle tells the queue that it is through with a pod: `Done`. Pure data.

Go: pkg/scheduler/schedule_one.go, 1.28 to 1.36. With the gate SchedulerQueueingHints on, Pop puts the pod in flight,
and only Done takes the pod out (model/scheduler/queue/in_flight.py). These are the exits of a cycle:
 - the pod's scheduler name is that of no profile, or the pod is skipped since it is being deleted or assumed: no Done
   up to 1.31. The pod stays in flight for ever, and so does every event that comes (QH-DONE-SKIP);
 - the attempt or the binding fails: the failure handler puts the pod back, and AddUnschedulableIfNotPresent calls Done.
   For a pod that is not put back, since it is gone or bound, the handler calls Done at its end;
 - the pod is bound: Done comes after Bind, in 1.32 after PreBind, from 1.33 on before PreBind (QH-SLOW-BIND-HOLD). A
   binding that fails later meets a second Done, which finds nothing to do.
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

# The phases of a binding cycle, in this order: `WaitOnPermit`, `RunPreBindPlugins`, then `bind`.
BindingPhase = Literal["WaitOnPermit", "PreBind", "Bind"]


def skipped_without_done() -> bool:
    """`scheduleOne` returns without Done of a pod that it skips (1.28 to 1.31, QH-DONE-SKIP)."""
    return False


def done_with_skipped() -> bool:
    """`ScheduleOne` calls Done of a pod that it skips (1.32, #126962)."""
    return True


def unknown_profile_without_done() -> bool:
    """`scheduleOne` returns without Done when `frameworkForPod` fails (1.28 to 1.31)."""
    return False


def done_with_unknown_profile() -> bool:
    """`ScheduleOne` calls Done when `frameworkForPod` fails (1.32)."""
    return True


def done_after_bind() -> BindingPhase:
    """The goroutine of the binding calls Done at its end, when the pod is bound (1.28 to 1.31)."""
    return "Bind"


def done_after_pre_bind() -> BindingPhase:
    """`bindingCycle` calls Done after PreBind, since no later failure makes the pod unschedulable (1.32, #120586)."""
    return "PreBind"


def done_after_wait_on_permit() -> BindingPhase:
    """`bindingCycle` calls Done before PreBind: a pod that fails there only backs off (1.33, #130189)."""
    return "WaitOnPermit"


def done_once_after_error() -> bool:
    """A failed binding ends in the failure handler, which sees to Done (1.28.0, #119729)."""
    return False


def done_again_after_error() -> bool:
    """The goroutine goes on to its own Done after the failure handler (1.28.0-beta.0, QH-BINDFAIL-FALLTHROUGH)."""
    return True


def requeued_before_done(present: bool) -> bool:
    """`AddUnschedulableIfNotPresent` defers its Done, so the pod is in a sub-queue first (1.28 on).

    From 1.32 on a Pop between the two discards the pod (QH-POP-BEFORE-DONE). #139450 calls Done of a pod that goes back
    before the pod is in a sub-queue.
    """
    return False


def namesake_goes_back(uid: str, listed: str) -> bool:
    """The pod that the lister has under the name goes back, also another one than was popped (QH-RECREATE-LEAK)."""
    return True


def only_popped_pod_goes_back(uid: str, listed: str) -> bool:
    """A pod that was created again meanwhile is left alone; Done is called of the one that was popped (#138324)."""
    return uid == listed


@frozen(slots=False, kw_only=True)
class DoneRules:
    """What releases from 1.28 on do differently in calling Done."""

    # Whether Done is called of a popped pod that is skipped: the pod is being deleted, or assumed.
    done_when_skipped: Callable[[], bool]
    # Whether Done is called of a popped pod whose scheduler name is that of no profile.
    done_without_profile: Callable[[], bool]
    # The phase of a binding that works after which Done is called.
    done_in_binding: Callable[[], BindingPhase]
    # Whether a pod goes back after a failed attempt: the UID that was popped, and that of the lister's pod of the name.
    # Handlers before 1.28 too look the pod up by its name.
    goes_back: Callable[[str, str], bool]
    # Whether Done is called once more after the failure handler of a binding.
    done_again_after_bind_error: Callable[[], bool]
    # Whether no Pop finds a failed pod in a sub-queue before Done of the pod. The flag: a sub-queue has the pod
    # already, so that the pod is not put back.
    done_before_requeue: Callable[[bool], bool]
