"""Whether the properties of binders judge what was done, and not what a rule says is to be done."""

import pytest

from kubeproof.engines.explicit import check
from model.releases import parse_release, rules_for
from model.systems.scheduling_cycle import (
    SchedulingCycleMachine,
    SchedulingCycleRules,
    SchedulingCycleScope,
    cycle_steps,
)
from properties.scheduling_cycle.binders import MANAGED_BY_EXTENDER


def test_an_extender_that_the_rule_names_and_nobody_asks_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_for(SchedulingCycleRules, parse_release("1.31.13"))
    scope = SchedulingCycleScope(pods=1, nodes=1, binder_extenders=2, ignorable=1, extender_errors=2)

    def outcome() -> str:
        (result,) = check(SchedulingCycleMachine(scope, rules, frozenset()), [MANAGED_BY_EXTENDER])
        return result.outcome

    assert outcome() == "holds"
    monkeypatch.setattr(cycle_steps, "asked_to_bind", lambda setup, goroutine, points: points)
    assert rules.binders_asked((True, True)) == (0, 1)
    assert outcome() == "violated"
