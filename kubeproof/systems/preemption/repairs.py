"""The repairs of preemption: rules that no modelled release has, each without one documented bug."""

from attrs import frozen

from kubeproof.systems.repair import Repair
from model.objects import NAMESPACE
from model.scheduler.preemption.disruption_budgets import Grouped, disrupted_pods_are_free
from model.scheduler.preemption.objects import Budgets, PodDisruptionBudget, Pods, PreemptionPod


@frozen
class _Asked(PodDisruptionBudget):
    """A budget that the scheduler takes as the API server does."""

    def matches(self, pod: PreemptionPod) -> bool:
        return self.namespace == NAMESPACE and (self.of_every_pod or PodDisruptionBudget.matches(self, pod))


def every_selector_is_asked(pods: Pods, budgets: Budgets) -> Grouped:
    """`disrupted_pods_are_free`, also of a selector that is empty (as #141785, in no modelled release)."""
    asked = (
        _Asked(each.name, each.namespace, each.selector, each.disruptions_allowed, each.disrupted_pods,
               each.of_every_pod)
        for each in budgets
    )  # fmt: skip
    return disrupted_pods_are_free(pods, tuple(asked))


REPAIRS = (
    Repair("PREEMPT-PDB-EMPTY-SELECTOR", "pods_with_pdb_violation", disrupted_pods_are_free, every_selector_is_asked),
)
