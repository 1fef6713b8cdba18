"""The fix of async-preemption as examples/fixes has it: what it cures, and what it changes besides."""

import pytest

from kubeproof.fix.validate import validate
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT
from tests.kubeproof.fix.verdicts import only

FIX = ROOT / "examples/fixes/activate_the_preemptor_always.py"


@pytest.mark.parametrize(
    ("release", "scope", "cured"),
    [
        ("1.34.9", "0,victims=2,goroutines=1", {"ASYNC-PREEMPT-STUCK"}),
        (
            "1.36.2",
            "0,victims=1,goroutines=1,deletions=1",
            {
                "ASYNC-PREEMPT-STUCK",
                "ASYNC-PREEMPT-STUCK-DELETED",
                "ASYNC-PREEMPT-STUCK-ONE-GONE",
                "ASYNC-PREEMPT-STUCK-PERMIT",
            },
        ),
    ],
)
def test_a_preemptor_that_is_always_activated_is_tried_when_room_is_free(
    release: str, scope: str, cured: set[str]
) -> None:
    verdict = validate(FIX, release, scope=scope, engines=["explicit"])
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    part = only(verdict)
    assert {run.bug.id for run in part.cured} == cured
    assert [row.after.property for row in part.cured_rows] == ["preemptor-is-tried-when-room-is-free"]
    assert [effect.subject for effect in part.effects] == ["where the preemptor is"]
