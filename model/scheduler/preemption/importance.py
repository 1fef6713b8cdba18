"""Which of two pods is the more important, and since when the most important of several run.

Go: `HigherPriorityPod` (to 1.14), `MoreImportantPod`, `GetPodStartTime`, `GetEarliestPodStartTime` in
pkg/scheduler/util/utils.go. The clock is read
at each comparison for a pod that has no start time: "now" is later than every start time, and later than an earlier
"now".
"""

from collections.abc import Iterable

from model.scheduler.preemption.objects import Pods, PreemptionPod


def more_important_pod(pod1: PreemptionPod, pod2: PreemptionPod) -> bool:
    """Whether `pod1` has the higher priority, or the same and runs longer.

    Of two pods without start time the first that is asked about is the more important, whichever it is: Go reads the
    clock for the first, then for the second. So this is no ordering.
    """
    if pod1.priority != pod2.priority:
        return pod1.priority > pod2.priority
    if pod1.start_time is None:
        return pod2.start_time is None
    return pod2.start_time is None or pod1.start_time < pod2.start_time


def by_priority(pods: Iterable[PreemptionPod]) -> Pods:
    """The higher priority first, pods of one priority as the node lists them (1.13, 1.14).

    In a list of more than 12 pods those of one priority may stand in another order in Go.
    """
    return tuple(sorted(pods, key=lambda pod: -pod.priority))


def by_importance(pods: Iterable[PreemptionPod]) -> Pods:
    """The more important first, as an insertion sort leaves them: Go's sort of at most 12 elements (1.15 on).

    In a longer list only pods of equal priority and start time may stand in another order in Go.
    """
    found: list[PreemptionPod] = []
    for pod in pods:
        at = len(found)
        while at and more_important_pod(pod, found[at - 1]):
            at -= 1
        found.insert(at, pod)
    return tuple(found)


def earliest_start_time(pods: Pods) -> int | None:
    """Since when the longest running of the pods of the highest priority runs. None: none of them was started.

    Raises ValueError for no pods: Go answers nil there, and says that this should not happen.
    """
    highest = max(pod.priority for pod in pods)
    started = [pod.start_time for pod in pods if pod.priority == highest and pod.start_time is not None]
    return min(started, default=None)
