"""A property whose premise the default scope never meets is asked in another scope, and the result says in which."""

import pytest

from kubeproof.bugs.beside import KEPT_RUN
from kubeproof.check.check import check_system, report_json
from kubeproof.check.other_scopes import unmet
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Cause, Outcome
from kubeproof.verdict.trace import replay
from tests.conftest import by_engines

SNAPSHOT = "snapshot-equals-cache"
WAITS = "leaves-backoff-queue-in-time"


@pytest.mark.slow
def test_the_first_scope_that_meets_the_premise_answers() -> None:
    report = check_system("scheduling", "1.36.2", properties=["bound-once", SNAPSHOT, WAITS])
    results = by_engines(report.results)
    bound, snapshot, waits = results
    first, second, _ = report.system.scopes.besides
    assert bound.scope == report.scope == report.system.scopes.default
    assert (snapshot.scope, waits.scope) == (first, second)
    assert {result.outcome for result in results} == {Outcome.HOLDS}
    assert report_json(report)["verdicts"][WAITS]["outcome"] == "holds"


def test_a_violation_in_another_scope_has_its_run_there() -> None:
    report = check_system("scheduling", "1.36.2", properties=["nominated-node-has-a-name"])
    kept, result = report.results
    assert (kept.engine, kept.outcome, result.outcome) == (KEPT_RUN, Outcome.VIOLATED, Outcome.VIOLATED)
    assert result.scope in report.system.scopes.besides
    assert result.trace is not None
    again = replay(report.system.machine(result.scope, report.rules), result.trace.actions)
    assert again.last == result.trace.last


def test_a_scope_that_is_named_is_the_only_one() -> None:
    (result,) = by_engines(check_system("scheduling", "1.36.2", scope="pods=1", properties=[SNAPSHOT]).results)
    assert result.cause is Cause.PREMISE


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_property_is_asked_in_the_newest_release(system: str) -> None:
    """What the newest release no longer does meets no premise there: such a property is asked in 1.17.10."""
    left = unmet(check_system(system).results)
    assert left == [] or unmet(check_system(system, "1.17.10", properties=left).results) == []
