"""Which victims violate a disruption budget, and of which API the scheduler reads budgets. Pure.

Go: `filterPodsWithPDBViolation` in pkg/scheduler/core/generic_scheduler.go (1.19 on
framework/plugins/defaultpreemption/default_preemption.go), `getPDBLister` there. `PodDisruptionBudget.matches` takes an
empty selector to select no pod, as `filterPodsWithPDBViolation` does in every release.
"""

from collections.abc import Callable

from attrs import frozen

from model.scheduler.preemption.objects import Budgets, Pods, PreemptionPod

# The pods that a budget protects and those that none protects, each in the order in which they were given.
Grouped = tuple[Pods, Pods]


def _group(pods: Pods, violates: Callable[[PreemptionPod], bool]) -> Grouped:
    violating = {pod.name for pod in pods if violates(pod)}
    return tuple(pod for pod in pods if pod.name in violating), tuple(pod for pod in pods if pod.name not in violating)


def budgets_stay_as_they_are(pods: Pods, budgets: Budgets) -> Grouped:
    """A budget protects all of its pods or none: what the victims before take of it is not counted (to 1.17)."""
    return _group(pods, lambda pod: any(each.matches(pod) and each.disruptions_allowed <= 0 for each in budgets))


def victims_use_budgets_up(pods: Pods, budgets: Budgets) -> Grouped:
    """1.18 (#82235): each victim takes one from its budgets, up to the first of them that has nothing left."""
    left = [each.disruptions_allowed for each in budgets]

    def violates(pod: PreemptionPod) -> bool:
        for at, each in enumerate(budgets):
            if each.matches(pod):
                if left[at] <= 0:
                    return True
                left[at] -= 1
        return False

    return _group(pods, violates)


def disrupted_pods_are_free(pods: Pods, budgets: Budgets) -> Grouped:
    """1.19 on (#91986, #92476): each victim takes one from all of its budgets but those that count it as disrupted."""
    left = [each.disruptions_allowed for each in budgets]

    def violates(pod: PreemptionPod) -> bool:
        found = False
        for at, each in enumerate(budgets):
            if each.matches(pod) and pod.name not in each.disrupted_pods:
                left[at] -= 1
                found = found or left[at] < 0
        return found

    return _group(pods, violates)


@frozen
class BudgetsApi:
    """An API of budgets."""

    name: str
    # Whether an empty selector selects every pod of the namespace; else it selects none.
    empty_selector_selects_all: bool


def policy_v1beta1() -> BudgetsApi:
    """To 1.20."""
    return BudgetsApi("policy/v1beta1", False)


def policy_v1() -> BudgetsApi:
    """1.21 on."""
    return BudgetsApi("policy/v1", True)


@frozen(slots=False, kw_only=True)
class BudgetsApiRules:
    """What releases read."""

    budgets_api: Callable[[], BudgetsApi]
