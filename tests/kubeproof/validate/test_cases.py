"""Fixes that were once judged wrongly get the right verdicts. They lie beside the repository: elsewhere they skip."""

from pathlib import Path

import pytest

from kubeproof.validate.validate import validate
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT

CASES = ROOT.parent / "shared" / "cases" / "fixes"
OUTCOMES = {"refused": Outcome.VIOLATED, "accepted": Outcome.HOLDS, "nothing": Outcome.HOLDS}


def cases(folder: Path) -> list[tuple[str, str, str, str]]:
    """(name, release, system, the verdict) of each fix in `folder`, as its expected.txt says."""
    expected = folder / "expected.txt"
    lines = expected.read_text().splitlines() if expected.is_file() else []
    words = [line.partition(":")[0].partition(";")[0].split() for line in lines if line and not line.startswith("#")]
    return [(name, release, system, verdict) for name, release, system, verdict in words]


@pytest.mark.slow
@pytest.mark.skipif(not CASES.is_dir(), reason="the fixes (../shared/cases/fixes) are not here")
@pytest.mark.parametrize(("name", "release", "system", "verdict"), cases(CASES))
def test_a_fix_gets_the_right_verdict(name: str, release: str, system: str, verdict: str) -> None:
    found = validate(Path(CASES / f"{name}.py"), release, systems=[system], engines=["explicit"])
    assert found.outcome is OUTCOMES[verdict]
    if name == "nl_cached_listing":
        assert "not a pure function" in found.reasons[0]
        assert not any(row.after.trace for part in found.parts for row in part.rows)
