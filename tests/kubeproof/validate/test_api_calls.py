"""Fixes of the API dispatcher: those of the texts for upstream, and wrong ones, which a property refuses."""

import pytest

from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Validation
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT
from tests.kubeproof.validate.verdicts import only

WRONG = ROOT / "tests" / "kubeproof" / "validate" / "wrong_fixes"


def judged(name: str) -> Validation:
    return validate(ROOT / "examples/fixes" / name, "1.36.2", engines=["explicit"])


@pytest.mark.parametrize(
    ("name", "bug", "property", "effect"),
    [
        (
            "answer_when_done.py", "API-ANSWERED-IN-FLIGHT", "answered-when-done",
            "whether a caller is told of a call in flight",
        ),
        (
            "forget_the_cleared_nomination.py", "API-CLEAR-LEAVES-MEMORY", "nominated-in-memory-as-in-api",
            "where the pod is nominated in memory",
        ),
    ],
)  # fmt: skip
def test_a_fix_that_a_text_for_upstream_names_is_accepted(name: str, bug: str, property: str, effect: str) -> None:
    verdict = judged(name)
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    part = only(verdict)
    assert {run.bug.id for run in part.cured} == {bug}
    assert {row.after.property for row in part.cured_rows} == {property}
    assert [each.subject for each in part.effects] == [effect]


def test_a_patch_that_is_computed_from_the_one_in_flight_is_not_enough() -> None:
    """The first PATCH may have ended, with its event on the way; or be computed from an old pod itself."""
    verdict = judged("compute_from_the_patch_in_flight.py")
    assert verdict.outcome is Outcome.VIOLATED
    said = " ".join(verdict.reasons)
    assert "nomination-is-as-meant is still violated" in said
    assert "nominated-in-memory-as-in-api is broken" in said


def test_to_wait_for_the_patch_is_not_to_wait_for_its_event() -> None:
    """#141745: the event of a PATCH that has ended arrives while the pod waits for the next PATCH."""
    verdict = judged("requeue_after_the_patch.py")
    assert verdict.outcome is Outcome.VIOLATED
    part = only(verdict)
    assert {run.bug.id for run in part.cured} >= {"API-LATE-PATCH", "API-ANSWERED-IN-FLIGHT"}
    assert "nominated-in-memory-as-in-api is broken (explicit)" in part.reasons


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fix", "scope", "broken"),
    [
        (
            "merge_patches_newer_alone",
            "0,nodes=1,attempts=2,asynchronous_calls=1,clears=1",
            "condition-is-of-last-attempt",
        ),
        (
            "merge_patches_older_nomination",
            "0,nodes=1,attempts=2,asynchronous_calls=1",
            "nominated-in-memory-as-in-api",
        ),
    ],
)
def test_a_wrong_merge_of_patches_is_refused(fix: str, scope: str, broken: str) -> None:
    verdict = validate(WRONG / f"{fix}.py", "1.36.2", scope=scope, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    part = only(verdict)
    # In so small a scope the run of this page is gone with both.
    assert {run.bug.id for run in part.cured} == {"API-CLEAR-LEAVES-MEMORY"}
    assert any(reason.startswith(f"{broken} is broken") for reason in part.reasons), part.reasons
