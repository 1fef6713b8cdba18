"""Of which API the scheduler reads disruption budgets, and what an empty selector means there.

Go: `getPDBLister` in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
`PodDisruptionBudget.matches` takes an empty selector to select no pod, as `filterPodsWithPDBViolation` does in every
release.
"""

from collections.abc import Callable

from attrs import frozen

from model.rules import Row
from model.scheduler.go_files import GENERIC_GO, PREEMPTION_GO


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


BUDGETS_API_ROWS: tuple[Row, ...] = (
    Row("budgets_api", "1.13.0", policy_v1beta1, "", f"{GENERIC_GO} filterPodsWithPDBViolation"),
    Row("budgets_api", "1.21.0-alpha.1", policy_v1, "in 1.21.0, not in 1.20.15",
        f"{PREEMPTION_GO} filterPodsWithPDBViolation"),
)  # fmt: skip
