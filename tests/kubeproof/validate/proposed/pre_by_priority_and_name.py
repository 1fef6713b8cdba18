"""Upstream's cure of PREEMPT-QOS-PATCH, and pods of one priority by their names.

Wrong: the one that runs longer stays.
"""

from collections.abc import Iterable

from model.scheduler.preemption.objects import Pods, PreemptionPod
from model.scheduler.preemption.writes import DISRUPTION_TARGET, PodStatus, with_condition

CURES = "PREEMPT-QOS-PATCH"


def status_of_victim(victim: PodStatus, preemptor: PodStatus) -> PodStatus | None:
    return with_condition(victim, DISRUPTION_TARGET)


def order_of_lower_pods(pods: Iterable[PreemptionPod]) -> Pods:
    return tuple(sorted(pods, key=lambda pod: (-pod.priority, pod.name)))
