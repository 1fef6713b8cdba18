"""#91986 and #92476 written again: a disrupted pod takes nothing of the budget that counts it. Right."""

from model.scheduler.preemption.disruption_budgets import Grouped
from model.scheduler.preemption.objects import Budgets, Pods

CURES = "PREEMPT-PDB-DISRUPTED"


def pods_with_pdb_violation(pods: Pods, budgets: Budgets) -> Grouped:
    left = [each.disruptions_allowed for each in budgets]
    violating: set[str] = set()
    for pod in pods:
        for at, each in enumerate(budgets):
            if not each.matches(pod):
                continue
            if pod.name in each.disrupted_pods:
                continue
            left[at] -= 1
            if left[at] < 0:
                violating.add(pod.name)
    return (
        tuple(pod for pod in pods if pod.name in violating),
        tuple(pod for pod in pods if pod.name not in violating),
    )
