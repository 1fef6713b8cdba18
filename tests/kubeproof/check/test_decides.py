"""What would decide a property that a check left inconclusive."""

import pytest
from attrs import evolve

from kubeproof.check import other_scopes
from kubeproof.check.check import check_system
from kubeproof.check.other_scopes import decides, scope_with_premise
from kubeproof.engines import explicit
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import NO_PREMISE, Cause, Outcome, Result
from model.releases import known_release, newest, rules_for
from properties.property import Invariant
from tests.conftest import by_engines

RULES = newest(NODE_LISTING.rules_class, NODE_LISTING.name)


def inconclusive(cause: Cause | None, name: str = "listed-exactly-once") -> Result:
    return Result(property=name, engine="explicit", outcome=Outcome.INCONCLUSIVE, reason=NO_PREMISE, cause=cause)


def test_a_limit_asks_for_more_time_and_what_has_no_known_cause_for_nothing() -> None:
    assert decides(NODE_LISTING, RULES, inconclusive(Cause.LIMIT)) == "more time (--time) in the same scope"
    assert decides(NODE_LISTING, RULES, inconclusive(None)) == ""


def test_a_scope_that_decides_is_that_of_a_kept_run_of_the_property() -> None:
    system, rules = NODE_LISTING, RULES
    scope = scope_with_premise(system, rules, inconclusive(Cause.PREMISE).evolve(scope=system.scope))
    assert scope == system.parse_scope("0,nodes=3,zones=2")
    (result,) = explicit.check(system.machine(scope, rules), [system.property_named("listed-exactly-once")])
    assert result.cause is not Cause.PREMISE
    assert decides(system, rules, inconclusive(Cause.PREMISE)) == "only nodes=3,zones=2"


def test_the_scope_that_is_named_decides() -> None:
    """Without a pod in flight nobody can say anything of this property; the run of a bug has one."""
    name, scope = "in-flight-while-scheduled", "0,pods=1,goroutines=1,gate=2"
    (result,) = by_engines(check_system("queueing-hints", "1.31.13", scope=scope, properties=[name]).results)
    assert result.cause is Cause.PREMISE
    system = SYSTEMS["queueing-hints"]
    text = decides(system, rules_for(system.rules_class, known_release("1.31.13")), result)
    assert text
    (again,) = by_engines(check_system("queueing-hints", "1.31.13", scope=text, properties=[name]).results)
    assert again.outcome in (Outcome.HOLDS, Outcome.VIOLATED)


def test_the_systems_own_scopes_are_looked_through_where_no_run_meets_the_premise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(other_scopes, "BUGS", ())
    small = NODE_LISTING.parse_scope("0,nodes=1,zones=1")
    found = scope_with_premise(NODE_LISTING, RULES, inconclusive(Cause.PREMISE).evolve(scope=small))
    assert found == NODE_LISTING.scope
    # The scope in which the premise was not met is not named again.
    asked = inconclusive(Cause.PREMISE).evolve(scope=NODE_LISTING.scope)
    assert scope_with_premise(NODE_LISTING, RULES, asked) not in (NODE_LISTING.scope,)


def test_a_premise_that_no_scope_meets_is_said_to_have_none() -> None:
    never = Invariant("never-asked", "Nothing.", (), holds=lambda state: True, premise=lambda state: False, explain=str)
    system = evolve(NODE_LISTING, properties=(never,))
    asked = inconclusive(Cause.PREMISE, never.name)
    assert scope_with_premise(system, RULES, asked) is None
    assert decides(system, RULES, asked) == ""
