"""scheduling-cycle: what Z3 proves for any number, no run of a small scope violates; what it refutes, some run does."""

import pytest
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.engines.smt.induction import check_inductive
from kubeproof.verdict.result import Outcome, Strength
from model.releases import parse_release, rules_for
from model.scheduler import cycle_points
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from properties.property import Property
from properties.scheduling_cycle.catalogue import bind_without_waiting
from properties.scheduling_cycle.owners import GIVEN_BACK_IN_REVERSE
from properties.scheduling_cycle.permit import ALL_ALLOW, DECISION_ARRIVES
from properties.smt.scheduling_cycle.system import encode

PROVED = (DECISION_ARRIVES, ALL_ALLOW, GIVEN_BACK_IN_REVERSE)
SCOPE = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=2, permit=2, failures=1, timeouts=1, fine=1)
# Of a group one pod rejects the other before that one listens, and then the group is complete and allows all.
GROUP = SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=2, permit=1, groups=1, failures=1, fine=1)
HOLDS = {
    "1.16.15": set(),
    "1.17.10": set(),
    "1.18.20": {DECISION_ARRIVES, ALL_ALLOW},
    "1.19.0": {DECISION_ARRIVES, ALL_ALLOW, GIVEN_BACK_IN_REVERSE},
    "1.31.13": {DECISION_ARRIVES, ALL_ALLOW, GIVEN_BACK_IN_REVERSE},
}


def rules(release: str) -> SchedulingCycleRules:
    return rules_for(SchedulingCycleRules, parse_release(release))


def proved(asked: SchedulingCycleRules) -> set[str]:
    results = check_inductive(encode(SCOPE, asked), PROVED)
    assert all(each.outcome in (Outcome.HOLDS, Outcome.INCONCLUSIVE) for each in results)
    held = [each for each in results if each.outcome is Outcome.HOLDS]
    assert all(each.claim is not None and each.claim.strength is Strength.INDUCTIVE for each in held)
    return {each.property for each in held}


def violated(asked: SchedulingCycleRules, scope: SchedulingCycleScope, *properties: Property) -> set[str]:
    machine = SchedulingCycleMachine(scope, asked)
    results = explicit.check(machine, [each.of(machine) for each in properties])
    return {each.property for each in results if each.outcome is Outcome.VIOLATED}


@pytest.mark.slow
@pytest.mark.parametrize("release", HOLDS)
def test_the_proofs_say_what_the_runs_say(release: str) -> None:
    expected = {each.name for each in HOLDS[release]}
    assert proved(rules(release)) == expected
    found = violated(rules(release), SCOPE, *PROVED)
    assert not found & expected
    for each in PROVED:
        if each.name not in found | expected:
            assert violated(rules(release), GROUP, each) == {each.name}


@pytest.mark.slow
def test_a_fix_of_rules_that_the_proofs_call_is_proved() -> None:
    fixed = evolve(rules("1.17.10"), unreserves_in_reverse=cycle_points.in_reverse)
    assert proved(fixed) == {GIVEN_BACK_IN_REVERSE.name}
    assert not violated(fixed, SCOPE, GIVEN_BACK_IN_REVERSE)


def test_where_no_pod_waits_there_is_nothing_to_prove_of_one() -> None:
    assert proved(rules("1.14.10")) == {GIVEN_BACK_IN_REVERSE.name}
    assert isinstance(encode(SCOPE, rules("1.13.0")), str)


@pytest.mark.slow
def test_nothing_is_proved_of_waiting_pods_if_nobody_waits() -> None:
    assert proved(evolve(rules("1.31.13"), points_in_binding=bind_without_waiting)) == {GIVEN_BACK_IN_REVERSE.name}
