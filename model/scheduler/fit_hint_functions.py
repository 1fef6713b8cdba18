"""The hint functions of NodeResourcesFit for pods, of 1.33 and later: see hint_functions.py. Pure.

Go: `isSchedulableAfterPodEvent` and `isSchedulableAfterPodScaleDown` in pkg/scheduler/framework/plugins/noderesources/
fit.go.
"""

from model.scheduler.hint_functions import QUEUE, SKIP, queue_if_assigned_pod_goes
from model.scheduler.hint_objects import HintedPod
from model.scheduler.queue.events import Answer


def queue_if_assigned_or_nominated_pod_goes(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """As `queue_if_assigned_pod_goes`, and a pod that goes and was nominated frees what was kept for it (1.33)."""
    nominated = new is None and old is not None and bool(old.nominated_node_name)
    return QUEUE if nominated else queue_if_assigned_pod_goes(pod, old, new)


def queue_if_less_is_asked_for(pod: HintedPod, old: HintedPod | None, new: HintedPod | None) -> Answer:
    """The pod itself asks for less, or a bound pod (`isSchedulableAfterPodScaleDown`)."""
    if old is None or new is None:
        return SKIP
    less = new.uid == pod.uid or (bool(new.node_name) and old.cpu_milli > new.cpu_milli)
    return QUEUE if less else SKIP
