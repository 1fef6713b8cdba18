"""What a fix breaks beside the cures of other bugs, where the release violates the property itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.known import cures
from kubeproof.fix.fix import Fix, apply
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.validate import masked
from kubeproof.validate.masked import beside_cures
from kubeproof.validate.verdict import Part, Row
from kubeproof.verdict.result import Outcome, Result
from model.releases import Release, parse_release, rules_for
from model.systems.scheduling_cycle import SchedulingCycleScope

CYCLE = SYSTEMS["scheduling-cycle"]
RELEASE = parse_release("1.17.10", CYCLE.minors)
RULES = rules_for(CYCLE.rules_class, RELEASE)
TWICE = "one-attempt-at-a-time"
SCOPE = SchedulingCycleScope(pods=1, nodes=1, goroutines=2, late_nodes=1, bind_errors=1)


def found_with(after_failed_bind: Any, anew: bool | None = True) -> list[Row]:
    """What is found beside the cures, of a fix with which the property is violated anew and nobody knows why."""
    fix = Fix("a fix", {"after_failed_bind": after_failed_bind})
    violated = Result(property=TWICE, engine="explicit", outcome=Outcome.VIOLATED, scope=SCOPE)
    row = Row(violated, violated, anew=anew)
    part = Part(CYCLE, RELEASE, (SCOPE,), fix, [row], [], [], claims=None)
    return beside_cures(part, RULES, apply(CYCLE, RULES, fix))


@pytest.mark.parametrize("anew", [True, False])
def test_a_fix_that_records_before_it_forgets_breaks_what_the_release_violates_too(anew: bool) -> None:
    (row,) = found_with(lambda: ("record", "unreserve", "forget"), anew)
    assert (row.before.outcome, row.after.outcome, row.change) == (Outcome.HOLDS, Outcome.VIOLATED, "broken")
    assert "QUEUE-INFLIGHT-DUP" in row.beside.bugs
    assert row.beside.rules.keys().isdisjoint({"after_failed_bind"})


def test_the_rule_of_the_release_in_other_words_breaks_nothing_there() -> None:
    assert found_with(lambda: RULES.after_failed_bind()) == []


@pytest.mark.parametrize("helps", [True, False])
def test_what_comes_of_a_bug_of_the_release_is_not_broken_by_the_fix(
    helps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """QUEUE-NAMESAKE-BACK: a failed binding puts back a pod that is being tried. Who tries it soon tries it twice."""
    if not helps:
        void = {"goes_back": lambda uid, listed: True}

        def voided(system: System, release: Release, rules: Any, bug: Bug) -> Iterator[dict[str, Any]]:
            return iter([void]) if bug.id == "QUEUE-NAMESAKE-BACK" else cures(system, release, rules, bug)

        monkeypatch.setattr(masked, "cures", voided)
    system, release = SYSTEMS["scheduling"], parse_release("1.22.3")
    rules = rules_for(system.rules_class, release)
    scope = system.parse_scope("only pods=1,nodes=1,room=1,goroutines=2,deletes=1,recreates=1,bind_errors=1")
    fix = Fix("a fix", {"queue_for_failed_pod": lambda queue, info, cycle: "active"})
    violated = Result(property=TWICE, engine="explicit", outcome=Outcome.VIOLATED, scope=scope)
    part = Part(system, release, (scope,), fix, [Row(violated, violated, anew=True)], [], [], claims=None)
    assert beside_cures(part, rules, apply(system, rules, fix)) == []
