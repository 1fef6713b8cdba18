"""Which documented bugs are behind the violations of a check, with a fix in place and without."""

import pytest

from kubeproof.bugs.known import explained
from kubeproof.check.check import check_system
from kubeproof.engines import explicit
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Outcome, Result
from model.releases import known_release, rules_for
from model.scheduler.cache.node_tree import list_from_resuming_cursors
from tests.conftest import by_engines

SCOPE = NODE_LISTING.parse_scope("0,nodes=3,zones=2")
BROKEN, CURED = known_release("1.18.4"), known_release("1.18.7")
ONCE = NODE_LISTING.property_named("listed-exactly-once")


@pytest.fixture(scope="module")
def violated() -> Result:
    rules = rules_for(NODE_LISTING.rules_class, BROKEN)
    (result,) = explicit.check(NODE_LISTING.machine(SCOPE, rules), [ONCE])
    assert result.outcome is Outcome.VIOLATED
    assert result.known is None
    return result.evolve(scope=SCOPE)


def test_a_violation_of_the_release_names_its_bug(violated: Result) -> None:
    (found,) = explained(NODE_LISTING, BROKEN, [violated], with_fix=False)
    assert found == violated.evolve(known=("NODETREE-CURSOR",))
    # With a fix in place the release still has it, in the same run.
    assert explained(NODE_LISTING, BROKEN, [violated], with_fix=True) == [found]


def test_what_only_a_fix_violates_has_no_documented_bug(violated: Result) -> None:
    # The run is one of the release without the fix, and ends well there.
    (found,) = explained(NODE_LISTING, CURED, [violated], with_fix=True)
    assert found.known == ()
    (found,) = explained(NODE_LISTING, CURED, [violated], with_fix=False)
    assert found.known == ()


def test_nothing_is_looked_for_where_nothing_is_violated_or_somebody_has_looked(violated: Result) -> None:
    holds = Result(property=ONCE.name, engine="explicit", outcome=Outcome.HOLDS)
    seen = violated.evolve(known=("OTHER",))
    without_run = violated.evolve(trace=None)
    results = [holds, seen, without_run]
    assert explained(NODE_LISTING, BROKEN, results, with_fix=False) == results


def test_the_violation_of_a_wrong_rule_is_said_to_have_no_documented_bug() -> None:
    """With the cursors of 1.18.4 in 1.18.7 the release itself ends well in the same run."""
    rule = f"list_nodes={list_from_resuming_cursors.__name__}"
    report = check_system("node-listing", "1.18.7", rules=[rule], scope="0,nodes=3,zones=2", properties=[ONCE.name])
    (result,) = by_engines(report.results)
    assert (result.outcome, result.known) == (Outcome.VIOLATED, ())
