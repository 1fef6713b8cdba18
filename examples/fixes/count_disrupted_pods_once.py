"""The upstream fix of PREEMPT-PDB-DISRUPTED: a disrupted pod is not protected, and takes nothing of the budget.

Pull requests #91986 and #92476 together (1.19.0). The built-in rule is the same: `--rule
pods_with_pdb_violation=disrupted_pods_are_free`. Try it:

    kubeproof validate examples/fixes/count_disrupted_pods_once.py --release 1.18.20 --engine explicit
"""

from model.scheduler.preemption.disruption_budgets import Grouped
from model.scheduler.preemption.objects import Budgets, Pods

CURES = "PREEMPT-PDB-DISRUPTED"


def pods_with_pdb_violation(pods: Pods, budgets: Budgets) -> Grouped:
    left = [each.disruptions_allowed for each in budgets]
    protected: list[str] = []
    for pod in pods:
        for at, each in enumerate(budgets):
            if each.matches(pod) and pod.name not in each.disrupted_pods:
                left[at] -= 1
                if left[at] < 0:
                    protected.append(pod.name)
    return (
        tuple(pod for pod in pods if pod.name in protected),
        tuple(pod for pod in pods if pod.name not in protected),
    )
