"""Rules of newer releases in the system scheduling-cycle, which knows no newer release than 1.31 yet."""

import pytest
from attrs import evolve

from model.releases import known_release, parse_release, row_at, rules_for
from model.scheduler.preemption.waiting_victims import only_rejected, rejected_while_undecided
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from properties.scheduling_cycle.catalogue import PROPERTIES
from tests.model.systems.grain import violated

PERMIT = SchedulingCycleScope(pods=2, high=1, nodes=1, room=1, goroutines=1, preemption=1, permit=1)


@pytest.mark.parametrize(("release", "goes"), [("1.35.0", False), ("1.36.2", True)])
def test_a_victim_that_was_just_allowed_goes_from_1_36_on(release: str, goes: bool) -> None:
    """#135719 cures PREEMPT-WAITING-ALLOWED: a victim whose wait is decided is deleted."""
    rule = row_at("ends_of_waiting_victim", known_release(release).version).rule
    assert rule is (rejected_while_undecided if goes else only_rejected)
    asked = evolve(rules_for(SchedulingCycleRules, parse_release("1.31.13")), ends_of_waiting_victim=rule)
    properties = [each for each in PROPERTIES if each.name == "waiting-victim-goes"]
    assert violated(SchedulingCycleMachine(PERMIT, asked), properties) == (set() if goes else {"waiting-victim-goes"})
