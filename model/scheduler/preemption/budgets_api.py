"""Of which API the scheduler reads disruption budgets, and what an empty selector means there.

Go: `getPDBLister` in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
`PodDisruptionBudget.matches` takes an empty selector to select no pod, as `filterPodsWithPDBViolation` does in every
release.
"""

from collections.abc import Callable

from attrs import frozen


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
