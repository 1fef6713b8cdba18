"""Rules of preemption that are wrong on purpose. Each breaks a property that no release breaks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from model.scheduler.framework.status import Status
from model.scheduler.preemption.disruption_budgets import Grouped
from model.scheduler.preemption.importance import by_importance
from model.scheduler.preemption.objects import Budgets, Pods, PreemptionPod


def the_last_is_forgotten(victims: Pods, grouped: Grouped) -> Pods:
    return victims[:-1]


def everybody_goes(victims: Pods, grouped: Grouped) -> Pods:
    return by_importance((*grouped[0], *grouped[1]))


def the_less_important_first(pods: Iterable[PreemptionPod]) -> Pods:
    """Those pods come back first that matter least, so that fewer pods may have to leave."""
    return by_importance(pods)[::-1]


def nobody_is_deleted(victims: Pods) -> Pods:
    return ()


def helps_nowhere(status: Status | None) -> bool:
    return False


def no_pod_counts(pod: PreemptionPod) -> bool:
    return False


def disrupted_pods_take_too(pods: Pods, budgets: Budgets) -> Grouped:
    """#91986 without #92476, as #92475 tells of it: a disrupted pod is not protected, and takes one all the same."""
    left = [each.disruptions_allowed for each in budgets]
    protected: list[PreemptionPod] = []
    for pod in pods:
        for at, each in enumerate(budgets):
            if each.matches(pod):
                left[at] -= 1
                if left[at] < 0 and pod.name not in each.disrupted_pods and pod not in protected:
                    protected.append(pod)
    return tuple(protected), tuple(pod for pod in pods if pod not in protected)


MUTANTS: Mapping[str, Sequence[Callable[..., Any]]] = {
    "order_of_victims": (the_last_is_forgotten, everybody_goes),
    "order_of_lower_pods": (the_less_important_first,),
    "victims_to_delete": (nobody_is_deleted,),
    "preemption_might_help": (helps_nowhere,),
    "terminating_pod_counts": (no_pod_counts,),
    "pods_with_pdb_violation": (disrupted_pods_take_too,),
}
