"""What a verdict on a fix says first: some ten lines, each true alone, with commands that work as they stand."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs.catalogue import bug_named
from kubeproof.report.at_the_release import at_the_release
from kubeproof.report.validation import validation_text
from kubeproof.report.verdict_lines import Asked, first_lines
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Row, Validation
from kubeproof.verdict.result import Cause, Claim, Outcome, Result, Strength
from tests.kubeproof.test_cli import Captured, kubeproof

SMALL = "nodes=3,zones=2"
RESUMING, RESET = "list_nodes=list_from_resuming_cursors", "list_nodes=list_from_reset_cursors"
OPTIONS = ("--system", "node-listing", "--engine", "explicit")


def judged(rule: str, release: str, scope: str = SMALL) -> Validation:
    return validate(None, release, rules=[rule], systems=["node-listing"], scope=scope, engines=["explicit"])


def lines(verdict: Validation) -> list[str]:
    return first_lines(verdict, Asked(["node-listing"], SMALL, None, ["explicit"]))


def test_a_refused_fix_is_told_with_the_last_actions_and_what_the_release_does_there() -> None:
    assert lines(judged(RESUMING, "1.18.8")) == [
        "list_nodes=list_from_resuming_cursors on node-listing 1.18.8: REFUSED: it breaks listed-exactly-once, "
        "offered-again-when-quiet, offered-again-under-churn; the counterexample of NODETREE-CURSOR is still there",
        "  NODETREE-CURSOR: not in 1.18.8, and THERE WITH THE FIX; the run still ends badly: n2 missing from the "
        "scheduler's node list; n3 in it twice or more: list = [n3, n1, n3]",
        "  it breaks listed-exactly-once after 5 actions: n2 missing from the scheduler's node list; n3 in it twice or "
        "more: list = [n3, n1, n3]",
        "      3  A scheduling cycle begins: its node list has 2 entries.",
        "      4  Node n3 joins in zone z2.",
        "      5  A scheduling cycle begins: its node list has 3 entries, none of them n2.",
        "    in 1.18.8: A scheduling cycle begins: its node list has 3 entries. listed-exactly-once holds.",
        "  also: it breaks offered-again-when-quiet (6 actions), offered-again-under-churn (6 actions)",
        "  changes: order of the node list, node that is looked at first, fairness between zones (how far one zone "
        "gets ahead) and 1 more",
        "  looked at by explicit: 1 scope, only nodes=3,zones=2,moves=1 (2,589 states)",
        "the rest: kubeproof validate --rule list_nodes=list_from_resuming_cursors --release 1.18.8 --system "
        "node-listing --scope nodes=3,zones=2 --engine explicit --full",
        "the whole run: kubeproof check node-listing --release 1.18.8 --scope 'only nodes=3,zones=2,moves=1' "
        "--property listed-exactly-once --rule list_nodes=list_from_resuming_cursors",
    ]


@pytest.mark.slow
def test_an_accepted_fix_is_told_with_what_it_changes_and_how_far_it_was_looked() -> None:
    assert lines(judged(RESET, "1.18.4")) == [
        "list_nodes=list_from_reset_cursors on node-listing 1.18.4: ACCEPTED: NODETREE-CURSOR is gone; in the one "
        "scope nothing that held breaks",
        "  NODETREE-CURSOR: gone; the run ends well: listed-exactly-once holds",
        "  changes: order of the node list (30 of 63 trees)",
        "  changes: node that is looked at first (30 of 63 trees)",
        "  changes: fairness between zones (how far one zone gets ahead) (8 of 63 trees)",
        "  changes also: second listing of an unchanged tree begins elsewhere",
        "  looked at by explicit: 1 scope, only nodes=3,zones=2,moves=1 (1,892 states)",
        "  left out, so that no verdict speaks of it: 1 field and 1 other point (see `kubeproof list node-listing`)",
        "the rest: kubeproof validate --rule list_nodes=list_from_reset_cursors --release 1.18.4 --system node-listing "
        "--scope nodes=3,zones=2 --engine explicit --full",
        "deeper: kubeproof validate --rule list_nodes=list_from_reset_cursors --release 1.18.4 --system node-listing "
        "--scope nodes=3,zones=2",
    ]


@pytest.mark.slow
def test_each_command_that_is_named_works_as_it_stands(capsys: Captured) -> None:
    asked = ("validate", "--rule", RESUMING, "-r", "1.18.8", "--scope", "nodes=3,zones=2,moves=0", *OPTIONS)
    status, out, _ = kubeproof(capsys, *asked)
    rest, run = [line.partition(": ")[2] for line in out.splitlines() if ": kubeproof " in line]
    again, whole, _ = kubeproof(capsys, *shlex.split(rest)[1:])
    assert again == status == 1
    # All of the verdict begins with what it said before, and goes on.
    *before, _, last = out.splitlines()
    assert whole.splitlines()[: len(before) + 1] == [*before, last]
    assert len(whole.splitlines()) > 2 * len(before)
    again, shown, _ = kubeproof(capsys, *shlex.split(run)[1:])
    assert again == 1
    assert "A scheduling cycle begins: its node list has 3 entries, none of them n2." in shown


@pytest.mark.slow
def test_with_all_engines_a_larger_scope_goes_deeper(capsys: Captured) -> None:
    *_, rest, deeper = first_lines(judged(RESET, "1.18.4", "nodes=2,zones=2,moves=0"), Asked())
    assert rest.endswith(" --release 1.18.4 --full")
    assert deeper.endswith(" --system node-listing --scope 'only nodes=3,zones=2' --engine explicit")
    status, out, _ = kubeproof(capsys, *shlex.split(deeper.removeprefix("deeper: "))[1:])
    assert status == 0
    assert "looked at by explicit: 1 scope, only nodes=3,zones=2 " in out


@pytest.mark.slow
def test_a_fix_that_changes_nothing_is_not_said_to_hide_anything() -> None:
    verdict = judged(RESUMING, "1.18.4")
    assert lines(verdict)[:2] == [
        "list_nodes=list_from_resuming_cursors on node-listing 1.18.4: CHANGES NOTHING: every answer was the release's "
        "in the scope",
        "  1 bug of 1.18.4 still there: NODETREE-CURSOR",
    ]
    assert "it is not known" not in validation_text(verdict)


@pytest.mark.slow
def test_what_was_not_claimed_is_not_said_to_be() -> None:
    verdict = judged(RESET, "1.18.4")
    (part,) = verdict.parts
    run = part.known[0]
    other = evolve(run, bug=bug_named("BIND-UID"))
    both = evolve(part, known=[run, other], claims=("NODETREE-CURSOR",))
    assert first_lines(evolve(verdict, parts=(both,)), Asked())[1:3] == [
        "  NODETREE-CURSOR: gone; the run ends well: listed-exactly-once holds",
        "  gone, not claimed: BIND-UID",
    ]
    none = evolve(part, known=[run, other], claims=None)
    assert first_lines(evolve(verdict, parts=(none,)), Asked())[1] == (
        "  gone, the file claims none: NODETREE-CURSOR, BIND-UID"
    )


def _result(outcome: Outcome, **more: Any) -> Result:
    scope = NODE_LISTING.parse_scope("only nodes=2,zones=1")
    return Result(property="listed-exactly-once", engine="explicit", outcome=outcome, scope=scope, **more)


@pytest.mark.slow
def test_a_check_that_did_not_end_is_no_word_for_the_fix() -> None:
    verdict = judged(RESET, "1.18.4")
    (part,) = verdict.parts
    before = _result(Outcome.HOLDS, claim=Claim(Strength.EXHAUSTIVE))
    after = _result(Outcome.INCONCLUSIVE, cause=Cause.LIMIT, reason="out of time")
    open_ = evolve(verdict, parts=(evolve(part, rows=[*part.rows, Row(before, after)]),))
    head, *rest = first_lines(open_, Asked())
    assert head.endswith("UNDECIDED: of listed-exactly-once not every check came to an end")
    assert any(line.startswith("  looked at by explicit: 2 scopes, 1 not to the end, the largest ") for line in rest)


@pytest.mark.slow
def test_a_violation_that_comes_sooner_is_said() -> None:
    verdict = judged(RESUMING, "1.18.8")
    (part,) = verdict.parts
    (row, *_) = (row for row in part.rows if row.after.trace is not None)
    assert row.after.trace is not None
    longer = evolve(row.after.trace, steps=(*row.after.trace.steps, row.after.trace.steps[-1]))
    still = evolve(row, before=row.after.evolve(trace=longer, minimal=True), anew=False)
    told = first_lines(evolve(verdict, parts=(evolve(part, rows=[still], claims=()),)), Asked())
    assert f"  still violated, and sooner than before: {row.after.property} (5 actions, before 6)" in told


# --- what the release does there -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "release", "said"),
    [
        (RESUMING, "1.18.8", "A scheduling cycle begins: its node list has 3 entries. listed-exactly-once holds."),
        (RESUMING, "1.18.4", "violated in this run too"),
    ],
)
def test_the_release_takes_the_same_actions(rule: str, release: str, said: str) -> None:
    (part,) = judged(rule, release).parts
    row = next(row for row in part.rows if row.after.property == "listed-exactly-once")
    assert at_the_release(part, row.after) == said


@pytest.mark.slow
def test_an_error_that_the_release_meets_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "fix.py"
    path.write_text(
        "from model.cpu.policy import validate\n"
        "from model.cpu.state.state import clear_state\n"
        "def validate_state(policy, state):\n"
        "    change = validate.validate_state(policy, state)\n"
        "    return change if change.error is None else validate.validate_state(policy, clear_state())\n"
    )
    scope = "0,cores=2,threads=1,reserved=1,pods=1,containers=1,size=1,restarts=1,hotplug=1"
    verdict = validate(path, "1.31.13", systems=["cpu-manager"], scope=scope, engines=["explicit"])
    (part,) = verdict.parts
    row = next(row for row in part.rows if row.after.property == "exclusive-on-its-set")
    said = at_the_release(part, row.after)
    assert said.startswith("The kubelet starts, and fails: current set of available CPUs ")
    assert said.endswith("exclusive-on-its-set holds.")
    assert f"    in 1.31.13: {said}" in validation_text(verdict).splitlines()
