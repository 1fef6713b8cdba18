"""What preemption writes into the statuses of pods. Pure: a write is computed here, and nobody sends it.

Go: `PrepareCandidate` in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.23 on
`prepareCandidate` in framework/preemption/preemption.go) for the victims; `recordSchedulingFailure` in scheduler.go
(1.24 on `handleSchedulingFailure`) with `updatePod` for the preemptor; `PatchPod` and `PatchPodStatus` in
util/utils.go. A patch has the fields in which two objects differ (`CreateTwoWayMergePatch`).
"""

from collections.abc import Callable

from attrs import evolve, frozen

# Types of conditions that are True. Only PodScheduled is False.
READY, DISRUPTION_TARGET, POD_SCHEDULED = "Ready", "DisruptionTarget", "PodScheduled"


@frozen
class PodStatus:
    """The status of a pod (core/v1 PodStatus)."""

    # status.phase; the kubelet writes the phase.
    phase: str = "Running"
    # status.qosClass; the API server sets the class when the pod is made, and no request may change the class.
    qos_class: str = "BestEffort"
    # The types in status.conditions, in order. The scheduler writes PodScheduled and DisruptionTarget.
    conditions: tuple[str, ...] = (READY,)
    # status.nominatedNodeName; the scheduler writes the name.
    nominated_node_name: str = ""


def with_condition(status: PodStatus, condition: str) -> PodStatus:
    """Go: `UpdatePodCondition`."""
    return evolve(status, conditions=tuple(sorted({*status.conditions, condition})))


def fields_patched(old: PodStatus, new: PodStatus) -> tuple[str, ...]:
    """The fields that a patch from `old` to `new` has."""
    names = ("phase", "qos_class", "conditions", "nominated_node_name")
    return tuple(name for name in names if getattr(old, name) != getattr(new, name))


def not_written(victim: PodStatus, preemptor: PodStatus) -> PodStatus | None:
    """To 1.25 the victim is deleted and nothing else (1.25: the gate PodDisruptionConditions is off)."""
    return None


def condition_is_applied(victim: PodStatus, preemptor: PodStatus) -> PodStatus | None:
    """1.26 on: the condition DisruptionTarget, by a server-side apply that names no other field."""
    return with_condition(victim, DISRUPTION_TARGET)


def from_preemptor(victim: PodStatus, preemptor: PodStatus) -> PodStatus | None:
    """After #121103: the condition is put into a copy of the preemptor's status, and the victim is patched to that."""
    return with_condition(preemptor, DISRUPTION_TARGET)


def from_victim(victim: PodStatus, preemptor: PodStatus) -> PodStatus | None:
    """After #126644: the condition is put into a copy of the victim's own status."""
    return with_condition(victim, DISRUPTION_TARGET)


def whole_object_is_put(unnamed_secret: bool) -> bool:
    """To 1.18: PUT of the whole object. The API server takes the status of it, whatever else the pod has."""
    return True


def patch_of_whole_pod(unnamed_secret: bool) -> bool:
    """1.19 on (#90978): no patch can be computed of a pod with an image pull secret that has no name (#101697)."""
    return not unnamed_secret


def patch_of_status(unnamed_secret: bool) -> bool:
    """After #103133 the patch is computed of the status alone."""
    return True


def nominated_before_victims_go() -> bool:
    """To 1.18: the nomination is in memory and in the API before the first victim is deleted."""
    return True


def nominated_when_victims_are_gone() -> bool:
    """1.19 on: PostFilter deletes the victims, and answers the node for which the pod is to be nominated."""
    return False


def nominated_beside_deletion() -> bool:
    """1.33 on, by SchedulerAsyncPreemption: PostFilter answers the node, and a goroutine deletes the victims.

    Whatever becomes of the requests, the pod is nominated.
    """
    return True


@frozen(slots=False, kw_only=True)
class WriteRules:
    """What releases do differently when they write."""

    # (the status of a victim, the preemptor's) -> to what the victim is patched before it is deleted; None: no patch.
    status_of_victim: Callable[[PodStatus, PodStatus], PodStatus | None]
    # (whether spec.imagePullSecrets of the preemptor has an entry without a name) -> whether its status is written.
    status_of_preemptor: Callable[[bool], bool]
    # Whether the pod is nominated also if a victim is not deleted.
    nominated_before_deletion: Callable[[], bool]
