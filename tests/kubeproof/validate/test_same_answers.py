"""A fix that answers every call of a scope as the release does needs no comparison run by run there."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.engines.question import question
from kubeproof.fix.fix import Fix
from kubeproof.systems.registry import SYSTEMS
from kubeproof.validate import one_scope
from kubeproof.validate.one_scope import OneScope
from kubeproof.validate.same_answers import SameAnswers
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Row
from kubeproof.verdict.result import Outcome, Result
from model.go.errors import met_error
from model.releases import from_outside, parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree, list_stateless
from model.systems.node_listing import NodeListingScope
from model.which_rule import is_one_of, itself
from tests.conftest import ROOT
from tests.kubeproof.validate.verdicts import only

NODE_LISTING = SYSTEMS["node-listing"]
RULES = rules_for(NODE_LISTING.rules_class, parse_release("1.31.0"))


def explored(list_nodes: Any) -> bool:
    alike = SameAnswers(RULES, evolve(RULES, list_nodes=list_nodes), ["list_nodes"])
    explicit.explore(NODE_LISTING.machine(NodeListingScope(nodes=2, zones=1), alike.rules))
    return alike.so_far


def test_equal_answers_are_alike_and_one_other_answer_is_not() -> None:
    def loses_the_second(tree: NodeTree) -> Any:
        names, tree = list_stateless(tree)
        return names[:1], tree

    def logs(tree: NodeTree) -> Any:
        met_error("list", "nobody expects this")
        return list_stateless(tree)

    def raises(tree: NodeTree) -> Any:
        raise ValueError(len(tree.names()))

    assert explored(lambda tree: list_stateless(tree))
    assert not explored(loses_the_second)
    assert not explored(logs)
    alike = SameAnswers(RULES, evolve(RULES, list_nodes=raises), ["list_nodes"])
    with pytest.raises(ValueError, match="0"):
        alike.rules.list_nodes(NodeTree())
    assert not alike.so_far


def test_which_rule_it_is_counts_where_that_was_asked() -> None:
    alike = SameAnswers(RULES, evolve(RULES, list_nodes=lambda tree: list_stateless(tree)), ["list_nodes"])
    assert not is_one_of(alike.rules.list_nodes, {NodeTree})
    assert alike.so_far
    assert not is_one_of(alike.rules.list_nodes, {list_stateless})
    assert not alike.so_far
    assert alike.asked_which == {"list_nodes"}


def test_a_stand_in_is_known_for_the_rule_that_it_stands_for() -> None:
    alike = SameAnswers(RULES, RULES, NODE_LISTING.rule_fields)
    stand_in = alike.rules.list_nodes
    assert stand_in is not list_stateless
    assert itself(stand_in) is list_stateless
    assert is_one_of(stand_in, {list_stateless})
    assert alike.so_far
    assert from_outside(alike.rules) == frozenset()


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Is filled with what is compared run by run."""
    found: list[Any] = []

    def compare(*args: Any, **options: Any) -> one_scope.Compared:
        found.append(args)
        return one_scope.Compared()

    monkeypatch.setattr(one_scope, "compare", compare)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "times"), [("pods=1,nodes=1,updates=1", 0), ("pods=1,nodes=2,extender=1,preemption=1", 1)]
)
def test_runs_are_compared_only_where_a_call_was_answered_otherwise(
    scope: str, times: int, compared: list[Any]
) -> None:
    fix = ROOT / "examples" / "fixes" / "extender_answers_with_error.py"
    verdict = validate(fix, "1.17.10", scope=f"0,room=1,goroutines=2,{scope}", engines=["explicit"])
    assert any(row.after.outcome is Outcome.VIOLATED for row in only(verdict).rows)
    assert len(compared) == times


VIOLATED, HOLDS = Outcome.VIOLATED, Outcome.HOLDS


def run_by_run(rows: list[Row], **rules: Any) -> list[Row]:
    """`rows` of a fix that has these rules."""
    asked = question(NODE_LISTING, parse_release("1.31.0"), "explicit", fix=Fix("", rules))
    one = OneScope(asked, RULES)
    return one.run_by_run(rows, one.alike_in_whole(rows))


@pytest.mark.parametrize(
    ("outcomes", "times"),
    [
        ([(VIOLATED, VIOLATED), (HOLDS, HOLDS)], 0),
        # The search may have ended with the last violation, but another one sees every state.
        ([(VIOLATED, VIOLATED)], 0),
        # Equal answers do not explain this.
        ([(HOLDS, VIOLATED), (HOLDS, HOLDS)], 1),
    ],
)
def test_runs_are_compared_unless_every_state_was_seen(
    outcomes: list[tuple[Outcome, Outcome]], times: int, compared: list[Any]
) -> None:
    names = ("listed-exactly-once", "no-needless-error")
    rows = [
        Row(*(Result(property=name, engine="explicit", outcome=outcome) for outcome in pair))
        for name, pair in zip(names, outcomes, strict=False)
    ]
    found = run_by_run(rows)
    assert [row.anew for row in found] == [False, *(None for _ in rows[1:])]
    assert len(compared) == times


@pytest.mark.parametrize(("states", "times"), [(one_scope.PAIRS, 0), (3, 1)])
def test_a_search_that_is_cut_explains_nothing(
    states: int, times: int, compared: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_scope, "PAIRS", states)
    row = Row(*(Result(property="listed-exactly-once", engine="explicit", outcome=VIOLATED) for _ in range(2)))
    run_by_run([row])
    assert len(compared) == times


def test_a_difference_after_the_last_violation_is_seen(compared: list[Any]) -> None:
    """The search for violations ended before the rule was called with more than one node."""

    def loses_the_second(tree: NodeTree) -> Any:
        names, tree = list_stateless(tree)
        return names[:1], tree

    row = Row(*(Result(property="listed-exactly-once", engine="explicit", outcome=VIOLATED) for _ in range(2)))
    run_by_run([row], list_nodes=loses_the_second)
    assert len(compared) == 1
