"""The fixes of async-preemption as examples/fixes has them: what they cure, and what they change besides."""

from pathlib import Path

import pytest

from kubeproof.validate.validate import validate
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT
from tests.kubeproof.validate.verdicts import only

FIX = ROOT / "examples/fixes/activate_the_preemptor_always.py"
HOLDS = ROOT / "examples/fixes/hold_while_preempting.py"


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "scope",
    [
        "0,victims=2,goroutines=2,deletions=1",
        pytest.param("0,victims=2,goroutines=2,lag=1,waiting=1,deletions=1", marks=pytest.mark.slow),
    ],
)
def test_a_preemptor_that_is_held_while_preempting_preempts_once_and_is_tried(scope: str) -> None:
    verdict = validate(HOLDS, "1.36.2", scope=scope, engines=["explicit"])
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    part = only(verdict)
    assert "ASYNC-PREEMPT-REPEAT-LATE" in {run.bug.id for run in part.cured}
    cured = {row.after.property for row in part.cured_rows}
    assert cured == {"one-preemption-at-a-time", "preemptor-is-tried-when-room-is-free"}


def test_to_hold_the_preemptor_without_activating_it_is_refused(tmp_path: Path) -> None:
    half = tmp_path / "half.py"
    half.write_text("def is_pod_running_preemption(known, is_there): return known.running\n", encoding="utf-8")
    verdict = validate(half, "1.36.2", scope="0,victims=1,goroutines=2", engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.reasons == ["preemptor-is-tried-when-room-is-free is broken (explicit)"]
