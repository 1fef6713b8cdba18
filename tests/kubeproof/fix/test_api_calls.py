"""Wrong fixes of the API dispatcher: each is refused by the property that it breaks."""

import pytest

from kubeproof.fix.validate import validate
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT
from tests.kubeproof.fix.verdicts import only

WRONG = ROOT / "tests" / "kubeproof" / "fix" / "wrong_fixes"


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
