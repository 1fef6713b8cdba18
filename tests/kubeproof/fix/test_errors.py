"""Errors that Go returns or logs count in a verdict: a needless one refuses a fix, a new kind of error is named."""

from kubeproof.fix.judgement import Validation
from kubeproof.fix.new_errors import kind_of
from kubeproof.fix.validate import validate
from kubeproof.verdict.result import Outcome
from model.go.errors import MetError, errors_met, met_error
from tests.conftest import ROOT

WRONG = ROOT / "tests" / "kubeproof" / "fix" / "wrong_fixes"
SMALL = "nodes=3,zones=2"


def judged(name: str, release: str) -> Validation:
    return validate(WRONG / f"{name}.py", release, scope=SMALL, systems=["node-listing"], engines=["explicit"])


def test_a_listing_without_duplicates_is_refused_for_the_error_of_the_snapshot() -> None:
    verdict = judged("list_nodes_without_duplicates", "1.18.4")
    assert verdict.outcome is Outcome.VIOLATED
    (part,) = verdict.parts
    rows = {row.after.property: row for row in part.rows}
    assert {name for name, row in rows.items() if row.change == "broken"} == {"no-needless-error"}
    assert rows["listed-exactly-once"].change == "cured"
    broken = rows["no-needless-error"].after
    assert broken.explanation is not None
    assert "snapshot state is not consistent, length of NodeInfoList=2" in broken.explanation
    assert broken.trace is not None
    assert broken.trace.length == 5
    (effect,) = [effect for effect in part.effects if effect.subject == "a new error of UpdateSnapshot"]
    assert effect.changed > 0
    assert "trying to recover" in str(effect.example)


def test_before_the_check_of_1_18_nobody_meets_that_error() -> None:
    verdict = judged("list_nodes_without_duplicates", "1.17.10")
    (part,) = verdict.parts
    rows = {row.after.property: row.change for row in part.rows}
    assert rows["no-needless-error"] == "holds as before"
    assert rows["list-as-long-as-tree"] == "broken"


def test_errors_are_met_where_somebody_asks() -> None:
    met_error("f", "nobody asks")
    assert errors_met(lambda: [met_error("f", "one"), met_error("f", None), met_error("g", "two")]) == (
        MetError("f", "one"),
        MetError("g", "two"),
    )


def test_two_pods_with_the_same_error_have_one_kind() -> None:
    assert kind_of(MetError("f", "pod p1#1 is gone")) == kind_of(MetError("f", "pod p2#12 is gone"))
