"""The two halves of upstream's fix for a node that a plugin names and that is gone."""

import pytest

from kubeproof.fix.judgement import Validation
from kubeproof.fix.validate import validate
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT
from tests.kubeproof.fix.test_scheduling import lengths

FIXES = ROOT / "examples" / "fixes"
# One of two named nodes is deleted; the only one is.
ONE_OF_TWO, THE_ONLY_ONE = (f"0,pods=1,nodes=2,room=1,goroutines=1,node_deletes=1,named_nodes={n}" for n in (2, 1))


def judge(name: str, release: str, scope: str) -> Validation:
    return validate(FIXES / f"{name}.py", release, systems=["scheduling-cycle"], scope=scope, engines=["explicit"])


def test_the_first_half_has_the_pod_tried_on_the_other_node() -> None:
    found = lengths(judge("skip_missing_nodes", "1.28.8", ONE_OF_TWO))
    assert found["no-error-hides-a-node"][0] == "cured"


def test_the_first_half_alone_crashes() -> None:
    verdict = judge("skip_missing_nodes", "1.28.8", THE_ONLY_ONE)
    assert verdict.outcome is Outcome.VIOLATED
    assert lengths(verdict)["scheduler-keeps-running"][0] == "broken"


@pytest.mark.parametrize("scope", [ONE_OF_TWO, THE_ONLY_ONE])
def test_both_halves_break_nothing(scope: str) -> None:
    verdict = judge("skip_missing_nodes_and_go_round_all", "1.28.8", scope)
    assert verdict.outcome is not Outcome.VIOLATED, verdict.reasons
    assert "broken" not in {change for change, *_ in lengths(verdict).values()}
