"""The last line of a check: how many properties stand where, and what to do next."""

from collections.abc import Sequence

import pytest
from attrs import evolve

from kubeproof.bugs.beside import KEPT_RUN
from kubeproof.check.check import CheckReport
from kubeproof.fix.fix import Fix
from kubeproof.report import summary
from kubeproof.report.summary import Standing, in_one_line, standings
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Cause, Outcome, Result
from model.releases import known_release, rules_for
from tests.kubeproof.test_cli import Captured, kubeproof

RELEASE = known_release("1.18.7")
ENGINE = "explicit"
ONCE, AS_LONG, PERMUTES, ERROR, QUIET, CHURN = (
    "listed-exactly-once", "list-as-long-as-tree", "relisting-permutes", "no-needless-error",
    "offered-again-when-quiet", "offered-again-under-churn",
)  # fmt: skip


def result(name: str, outcome: Outcome, engine: str = ENGINE, known: tuple[str, ...] | None = None) -> Result:
    cause = Cause.PREMISE if outcome is Outcome.INCONCLUSIVE else None
    return Result(property=name, engine=engine, outcome=outcome, known=known, cause=cause)


def kept(name: str, *known: str) -> Result:
    return result(name, Outcome.VIOLATED, KEPT_RUN, known)


def told(results: Sequence[Result], fix: Fix | None = None) -> list[str]:
    rules = rules_for(NODE_LISTING.rules_class, RELEASE)
    return list(in_one_line(CheckReport(NODE_LISTING, RELEASE, NODE_LISTING.scope, rules, fix, list(results))))


def test_every_property_stands_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "decides", lambda system, rules, of: "only nodes=3" if of.property == ERROR else "")
    results = [
        result(ONCE, Outcome.VIOLATED, known=("A",)),
        kept(ONCE, "A", "B"),
        result(AS_LONG, Outcome.HOLDS),
        kept(AS_LONG, "C"),
        result(PERMUTES, Outcome.INCONCLUSIVE),
        kept(PERMUTES, "D"),
        result(QUIET, Outcome.HOLDS),
        # One engine is enough.
        result(QUIET, Outcome.INCONCLUSIVE, "z3"),
        result(CHURN, Outcome.NOT_APPLICABLE),
        result(ERROR, Outcome.INCONCLUSIVE),
        result("other", Outcome.INCONCLUSIVE),
    ]
    assert told(results) == [
        "7 properties: 1 violated here (A, B), 1 holds here and is violated elsewhere (C), 1 violated elsewhere, "
        "undecided here (D), 1 holds here, 1 not applicable, 2 inconclusive (what would decide: "
        f"{ERROR}: only nodes=3; other: nobody knows a scope that would decide)"
    ]
    assert standings(results)[:2] == [
        Standing(ONCE, Outcome.VIOLATED, True, ("A", "B")),
        Standing(AS_LONG, Outcome.HOLDS, True, ("C",)),
    ]


def test_a_property_that_no_engine_was_asked_stands_by_its_kept_run() -> None:
    assert standings([kept(ONCE, "A")]) == [Standing(ONCE, None, True, ("A",))]
    assert told([kept(ONCE, "A")]) == ["1 property: 1 violated elsewhere, undecided here (A)"]


def test_a_violation_without_a_known_bug_is_said_so_with_what_to_do() -> None:
    violated = [result(ONCE, Outcome.VIOLATED, known=()), result(ONCE, Outcome.VIOLATED, "z3", ())]
    assert told(violated) == [
        "1 property: 1 violated here",
        "no known bug: listed-exactly-once: `kubeproof hunt node-listing --release 1.18.7` looks for the rules to "
        "blame",
    ]
    assert told(violated, Fix("a fix", {})) == [
        "1 property: 1 violated here",
        "not in the release without the fix: listed-exactly-once: `kubeproof validate` compares the two",
    ]
    # Nobody has looked, or somebody has found one.
    assert len(told([result(ONCE, Outcome.VIOLATED), result(QUIET, Outcome.VIOLATED, known=("A",))])) == 1


def test_what_would_decide_is_said_of_a_scope_without_the_premise_and_of_a_limit(capsys: Captured) -> None:
    args = ("check", "queueing-hints", "--release", "1.31.13", "--property", "in-flight-while-scheduled")
    _, out, _ = kubeproof(capsys, *args, "--feature-gates", "SchedulerQueueingHints=false")
    last = out.splitlines()[-1]
    assert last.startswith("1 property: 1 inconclusive (what would decide: in-flight-while-scheduled: only pods=1,")
    limited = result(ONCE, Outcome.INCONCLUSIVE)
    (line,) = told([evolve(limited, cause=Cause.LIMIT)])
    assert line.endswith(f"{ONCE}: more time (--time) in the same scope)")


def test_check_ends_with_the_line(capsys: Captured) -> None:
    status, out, _ = kubeproof(capsys, "check", "node-listing", "--release", "1.18.4", "--scope", "nodes=3,zones=2")
    assert status == 1
    assert out.splitlines()[-1] == ("6 properties: 3 violated here (NODETREE-CURSOR), 3 hold here")
    wrong = ("--rule", "list_nodes=list_from_resuming_cursors", "--property", ONCE)
    status, out, _ = kubeproof(capsys, "check", "node-listing", "--release", "1.18.7", *wrong)
    assert status == 1
    assert out.splitlines()[-1].startswith(f"not in the release without the fix: {ONCE}: ")
