"""The disruption budgets behind a bug that components show, under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from attrs import frozen

from kubeproof.bugs.component import Demonstration
from model.objects import NAMESPACE
from model.releases import NEWEST_RELEASE, Release, parse_release, rules_for
from model.scheduler.preemption.budgets_api import BudgetsApiRules
from model.scheduler.preemption.node_resources_fit import fits_request
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.preemption.victims import select_victims_on_node


@frozen
class _OfAllPods(PodDisruptionBudget):
    """A budget of every pod of its namespace, as the API server takes it."""

    def matches(self, pod: PreemptionPod) -> bool:
        return self.namespace == NAMESPACE


def _counted(release: Release, budget: PodDisruptionBudget) -> int:
    """How many violations are counted where the only pod of a node has to go, which has a label."""
    node = PreemptionNode("n", 1, 110, (PreemptionPod("v", 0, 1, (("app", "a"),)),))
    rules = rules_for(PreemptionRules, release)
    found = select_victims_on_node(rules, fits_request, PreemptionPod("preemptor", 10, 1), node, (budget,))
    assert isinstance(found, Victims), "without its pod the node has room"
    return found.num_pdb_violations


def empty_selector(release: Release) -> Demonstration:
    """A budget with an empty selector allows no disruption, and a pod of its namespace has to go."""
    api = rules_for(BudgetsApiRules, release).budgets_api()
    budget = PodDisruptionBudget("b", NAMESPACE, (), 0)
    counted = _counted(release, budget)
    of_all = api.empty_selector_selects_all
    return Demonstration(
        _shown(counted) if of_all else (),
        (
            f"the scheduler reads budgets of {api.name}, where an empty selector selects "
            f"{'every pod of the namespace' if of_all else 'no pod'}",
            "budget b has an empty selector and allows no disruption; pod v of its namespace is on node n",
            f"a pod of higher priority asks for v's room; victims: v; violations counted: {counted}",
        ),
    )


def counted_by_selector() -> Demonstration:
    """The same in the newest release if the selector is asked, as #141785 does."""
    counted = _counted(parse_release(NEWEST_RELEASE), _OfAllPods("b", NAMESPACE, (), 0))
    return Demonstration(_shown(counted), (f"violations counted: {counted}",))


def _shown(counted: int) -> tuple[str, ...]:
    return ("the pod is protected, and no violation is counted",) if counted == 0 else ()
