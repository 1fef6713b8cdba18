"""What happens to the volumes of a pod between the choice of a host and Bind. Pure data.

Up to 1.18 `scheduleOne` in pkg/scheduler/scheduler.go calls a volume binder: `AssumePodVolumes` before Reserve, and
`BindPodVolumes` in the goroutine of the binding. From 1.19 on (#83726) the plugin VolumeBinding calls it at Reserve,
PreBind and Unreserve. A step of model/systems/scheduling_cycle is named here as in cycle_points.py.
"""

from collections.abc import Callable

from attrs import frozen

from model.scheduler.cycle_points import Undoing

# The steps that call the binder.
ASSUME_VOLUMES, BIND_VOLUMES = "assume_volumes", "bind_volumes"


def bound_first() -> bool:
    """1.13 to 1.16: the volumes are bound before the pod waits at Permit."""
    return True


def bound_after_permit() -> bool:
    """1.17 on."""
    return False


def left_assumed() -> bool:
    """To 1.18: nobody takes back what was assumed of volumes when an attempt fails before they are bound."""
    return False


def reverted_at_unreserve() -> bool:
    """1.19 on (#91705): Unreserve of VolumeBinding reverts what was assumed."""
    return True


@frozen(slots=False, kw_only=True)
class VolumeRules:
    """What releases do differently with volumes."""

    # Whether the volumes are bound before anything else in the goroutine of the binding, or after Permit.
    volumes_bound_first: Callable[[], bool]
    # What follows if they cannot be bound. The binder takes back by itself what it has not bound.
    after_failed_volumes: Callable[[], Undoing]
    # Whether Unreserve reverts what was assumed of volumes.
    unreserve_reverts_volumes: Callable[[], bool]


def before_reserve(points: tuple[str, ...]) -> tuple[str, ...]:
    """The points of the cycle, with `AssumePodVolumes` before Reserve; first where there is no Reserve."""
    at = points.index("reserve") if "reserve" in points else 0
    return (*points[:at], ASSUME_VOLUMES, *points[at:])


def before_pre_bind(points: tuple[str, ...], first: bool) -> tuple[str, ...]:
    """The points of the binding, with `BindPodVolumes` before all others, or else before PreBind."""
    at = points.index("pre_bind") if not first and "pre_bind" in points else 0
    return (*points[:at], BIND_VOLUMES, *points[at:])
