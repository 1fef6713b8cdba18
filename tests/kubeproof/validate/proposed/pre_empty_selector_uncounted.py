"""PREEMPT-PDB-EMPTY-SELECTOR: such a budget protects every pod if it allows nothing.

Wrong: what it allows is not used up.
"""

from model.objects import NAMESPACE
from model.scheduler.preemption.disruption_budgets import Grouped, disrupted_pods_are_free
from model.scheduler.preemption.objects import Budgets, Pods

CURES = "PREEMPT-PDB-EMPTY-SELECTOR"


def pods_with_pdb_violation(pods: Pods, budgets: Budgets) -> Grouped:
    if any(each.namespace == NAMESPACE and each.of_every_pod and each.disruptions_allowed <= 0 for each in budgets):
        return pods, ()
    return disrupted_pods_are_free(pods, budgets)
