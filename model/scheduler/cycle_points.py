"""The points of the framework that follow a host, and what is undone where one of them fails. Pure data.

Go: `scheduleOne` in pkg/scheduler/scheduler.go, from 1.26 on `schedulingCycle`, `bindingCycle` and
`handleBindingCycleError` in schedule_one.go. What happens is given as names of steps; see model/systems/
scheduling_cycle. A release that has no such point has no such step. Two names stand for steps that other rules give:

 - `record`: what follows every failed attempt (`steps_after_failure` in cycle.py);
 - `forget`: `ForgetPod`, and in the binding cycle the move of pods that comes with it (`CycleRules.after_bind_error`).
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

# From the host to the goroutine of the binding, or to the end of the binding.
Points = tuple[
    Literal["reserve", "assume", "delete_nominated_pod", "permit", "listen", "wait_on_permit", "pre_bind", "bind"], ...
]
# What follows a failure, in order.
Undoing = tuple[Literal["unreserve", "forget", "record"], ...]
# A point of the binding cycle at which a plugin may reject the pod.
Rejecting = Literal["reserve", "permit", "wait_on_permit", "pre_bind"]


def assume_alone() -> Points:
    """1.13: no plugin."""
    return ("assume", "delete_nominated_pod")


def reserve_then_assume() -> Points:
    """1.14 to 1.17: Reserve, then the pod is assumed."""
    return ("reserve", "assume", "delete_nominated_pod")


def permit_after_assume() -> Points:
    """1.18: Permit is asked in the scheduling cycle (#88199)."""
    return ("reserve", "assume", "delete_nominated_pod", "permit")


def assume_then_reserve() -> Points:
    """1.19 on: the pod is assumed before Reserve (#93511)."""
    return ("assume", "delete_nominated_pod", "reserve", "permit")


def bind_alone() -> Points:
    """1.13: no plugin."""
    return ("bind",)


def pre_bind_then_bind() -> Points:
    """1.14: Prebind."""
    return ("pre_bind", "bind")


def permit_in_binding() -> Points:
    """1.15 to 1.17: Permit is asked in the binding's goroutine, and the pod waits there."""
    return ("permit", "listen", "wait_on_permit", "pre_bind", "bind")


def wait_in_binding() -> Points:
    """1.18 on: `WaitOnPermit` comes first in the goroutine."""
    return ("listen", "wait_on_permit", "pre_bind", "bind")


def record_only() -> Undoing:
    """Nothing is given back: up to 1.18 after a failed Reserve (#92391), and where nothing was taken."""
    return ("record",)


def record_then_unreserve() -> Undoing:
    """Unreserve comes last.

    1.15 to 1.18 where the pod cannot be assumed. 1.19.0-rc.4 where Reserve fails: the pod stays assumed (#93830).
    """
    return ("record", "unreserve")


def forget_then_record() -> Undoing:
    """1.13 and 1.14: there is no Unreserve."""
    return ("forget", "record")


def forget_record_unreserve() -> Undoing:
    """1.15: Unreserve comes last."""
    return ("forget", "record", "unreserve")


def forget_unreserve_record() -> Undoing:
    """1.16 to 1.18, and a failed Bind in 1.19.0-rc.4."""
    return ("forget", "unreserve", "record")


def unreserve_forget_record() -> Undoing:
    """1.19 on: Unreserve, then `ForgetPod`: no attempt begins in between (#93511; #93831 where Reserve fails)."""
    return ("unreserve", "forget", "record")


def in_the_order_of_reserve() -> bool:
    """1.15 to 1.18: Unreserve plugins are a list of their own, and run in the order of the list."""
    return False


def in_reverse() -> bool:
    """1.19 on: `RunReservePluginsUnreserve` goes through the Reserve plugins from the last to the first.

    It came with #92200 or with #92391: master of 2020-06-05 has neither, that of 2020-07-02 has both.
    """
    return True


def move_comes_first(point: Rejecting) -> bool:
    """Up to 1.22 nobody hears of the room, whatever the answer here."""
    return False


def move_comes_last_after_wait(point: Rejecting) -> bool:
    """1.23 to 1.25: after a wait others hear of the room when the failure is recorded; the pod itself does not."""
    return point == "wait_on_permit"


def move_comes_last_after_rejection(point: Rejecting) -> bool:
    """1.26 on: so after every rejection in the binding cycle (`handleBindingCycleError`)."""
    return True


def rejection_is_an_error(point: Rejecting) -> bool:
    """Up to 1.27 a rejection after the host is chosen is filed under no plugin."""
    return False


def filed_in_cycle(point: Rejecting) -> bool:
    """1.28: a rejection in the scheduling cycle is a FitError, under the name of the plugin."""
    return point in ("reserve", "permit")


def filed_but_pre_bind(point: Rejecting) -> bool:
    """1.29 to 1.31.0-alpha.1, and 1.33 on: so is one while the pod waits."""
    return point != "pre_bind"


def filed_everywhere(point: Rejecting) -> bool:
    """1.31 and 1.32: so is one at PreBind."""
    return True


def bound_without_nomination() -> bool:
    """Up to 1.34: only preemption nominates. In 1.34 the gate NominatedNodeNameForExpectation is off."""
    return False


def nominated_to_host() -> bool:
    """1.35 on: the gate is on, for a pod that waits at Permit or has work at PreBind (#135103)."""
    return True


@frozen(slots=False, kw_only=True)
class CyclePointRules:
    """What releases do differently between the choice of a host and the end of the binding."""

    # The points from the host to the goroutine of the binding.
    points_in_cycle: Callable[[], Points]
    # The points in the goroutine, to Bind.
    points_in_binding: Callable[[], Points]
    # What follows a failed Reserve.
    after_failed_reserve: Callable[[], Undoing]
    # What follows if the pod cannot be assumed.
    after_failed_assume: Callable[[], Undoing]
    # What follows a failed Permit, a failed wait for Permit, and a failed PreBind.
    after_failed_permit: Callable[[], Undoing]
    # What follows a failed Bind.
    after_failed_bind: Callable[[], Undoing]
    # Whether Unreserve goes through the plugins from the last to the first.
    unreserves_in_reverse: Callable[[], bool]
    # (the point of the binding cycle) -> whether the move comes last, and spares the pod, if a plugin rejects there.
    move_comes_last: Callable[[Rejecting], bool]
    # (the point) -> whether a rejection there is filed under the name of the plugin.
    files_rejection: Callable[[Rejecting], bool]
    # Whether the goroutine of the binding first nominates the pod to its host, in the API.
    nominates_host: Callable[[], bool]
