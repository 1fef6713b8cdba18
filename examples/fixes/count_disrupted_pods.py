"""The first upstream fix of PREEMPT-PDB-DISRUPTED, which does half of it: a disrupted pod is not protected.

Pull request #91986, as #92475 describes what it does: a pod that a budget counts as disrupted still takes one of what
the budget has left. So another pod is protected in vain, and the fix is refused. #92476 ends this before a release is
made: count_disrupted_pods_once.py. Try it:

    kubeproof validate examples/fixes/count_disrupted_pods.py --release 1.18.20 --engine explicit
"""

from model.scheduler.preemption.disruption_budgets import Grouped
from model.scheduler.preemption.objects import Budgets, Pods

CURES = "PREEMPT-PDB-DISRUPTED"


def pods_with_pdb_violation(pods: Pods, budgets: Budgets) -> Grouped:
    left = [each.disruptions_allowed for each in budgets]
    protected: list[str] = []
    for pod in pods:
        for at, each in enumerate(budgets):
            if each.matches(pod):
                left[at] -= 1
                if left[at] < 0 and pod.name not in each.disrupted_pods:
                    protected.append(pod.name)
    return (
        tuple(pod for pod in pods if pod.name in protected),
        tuple(pod for pod in pods if pod.name not in protected),
    )
