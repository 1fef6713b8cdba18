"""The upstream fix of PREEMPT-PDB-COUNT: each victim takes one from its budgets.

Pull request #82235 (1.18.0). The built-in rule is the same: `--rule pods_with_pdb_violation=victims_use_budgets_up`. It
leaves PREEMPT-PDB-DISRUPTED. Try it:

    kubeproof validate examples/fixes/decrement_budgets.py --release 1.17.10 --engine explicit
"""

from model.scheduler.preemption.disruption_budgets import Grouped
from model.scheduler.preemption.objects import Budgets, Pods

CURES = "PREEMPT-PDB-COUNT"


def pods_with_pdb_violation(pods: Pods, budgets: Budgets) -> Grouped:
    left = [each.disruptions_allowed for each in budgets]
    protected: list[str] = []
    for pod in pods:
        for at, each in enumerate(budgets):
            if not each.matches(pod):
                continue
            if left[at] <= 0:
                protected.append(pod.name)
                break
            left[at] -= 1
    return (
        tuple(pod for pod in pods if pod.name in protected),
        tuple(pod for pod in pods if pod.name not in protected),
    )
