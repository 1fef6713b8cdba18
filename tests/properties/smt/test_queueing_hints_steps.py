"""queueing-hints in Z3 for any number of pods: the steps of the proofs against the machine."""

import pytest
from attrs import evolve

from model.systems.queueing_hints import QueueingHintsMachine, QueueingHintsScope
from properties.smt.queueing_hints.timeline import OF_PAIRS, SoMany
from properties.smt.queueing_hints.timeline_steps import Environment
from tests.properties.smt.queueing_hints_runs import MOST, QUIET, SCOPES, compare, compare_runs, rules_of


@pytest.mark.slow
def test_the_steps_are_those_of_the_machine() -> None:
    """In random runs; and every step is taken."""
    used: dict[str, int] = {}
    for release, scope in SCOPES:
        for name, times in compare(release, scope, 5).items():
            used[name] = used.get(name, 0) + times
    named = {
        step.name
        for release in ("1.28.0-beta.0", "1.28.3", "1.32.0")
        for step in Environment(rules_of(release), evolve(MOST, fine=1)).steps(
            SoMany.any(2, 1, OF_PAIRS), SoMany.any(2, 1, OF_PAIRS).state("")
        )
    }
    # In most scopes of this grain an update may do the same, and is named first.
    assert named - set(used) <= {"a failed pod goes back before its Done"}


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SCOPES)
def test_the_steps_are_those_of_the_machine_in_many_runs(release: str, scope: QueueingHintsScope) -> None:
    assert compare(release, scope, 35)["Pop"] > 25


@pytest.mark.parametrize(
    "power", ["updates", "tolerations", "assigned", "graceful", "pending", "recreates", "unknown_profiles"]
)
def test_an_environment_that_says_less_is_found_out(power: str) -> None:
    rules = rules_of("1.29.14")
    machine = QueueingHintsMachine(evolve(QUIET, **{power: 1}), rules)
    environment = Environment(rules, QUIET)
    with pytest.raises(AssertionError, match="no step for"):
        compare_runs(machine, environment, 300, 60)
