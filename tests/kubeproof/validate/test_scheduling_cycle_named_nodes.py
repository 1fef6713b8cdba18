"""The two halves of upstream's fix for a node that a plugin names and that is gone."""

from pathlib import Path

import pytest

from kubeproof.report.validation import validation_text
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Validation
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT
from tests.kubeproof.validate.test_scheduling import lengths

FIXES = ROOT / "examples" / "fixes"
# One of two named nodes is deleted; the only one is.
ONE_OF_TWO, THE_ONLY_ONE = (f"0,pods=1,nodes=2,room=1,goroutines=1,node_deletes=1,named_nodes={n}" for n in (2, 1))


def judge(name: str, release: str, scope: str) -> Validation:
    return validate(FIXES / f"{name}.py", release, systems=["scheduling-cycle"], scope=scope, engines=["explicit"])


@pytest.mark.slow
def test_the_first_half_has_the_pod_tried_on_the_other_node() -> None:
    found = lengths(judge("skip_missing_nodes", "1.28.8", ONE_OF_TWO))
    assert found["no-error-hides-a-node"][0] == "cured"


@pytest.mark.slow
def test_a_kept_run_shows_what_the_scope_does_not() -> None:
    """In this scope nothing breaks. The kept run of the bug that the first half brings leaves the verdict open."""
    verdict = judge("skip_missing_nodes", "1.28.8", ONE_OF_TWO)
    (part,) = verdict.parts
    assert [(each.property, each.known) for each in part.brought] == [("scheduler-keeps-running", ())]
    assert "FILTER-DIVIDE-BY-ZERO" in str(part.brought[0].reason)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    said = "UNDECIDED: scheduler-keeps-running is violated with the fix, and not without it, in a kept run (FILTER-"
    assert said in validation_text(verdict)
    # What the release violates as well is no word against the fix.
    assert part.stays.violations
    whole = judge("skip_missing_nodes_and_go_round_all", "1.28.8", ONE_OF_TWO)
    assert [each.property for each in whole.parts[0].brought] == []


@pytest.mark.slow
def test_the_first_half_alone_crashes() -> None:
    verdict = judge("skip_missing_nodes", "1.28.8", THE_ONLY_ONE)
    assert verdict.outcome is Outcome.VIOLATED
    assert lengths(verdict)["scheduler-keeps-running"][0] == "broken"


@pytest.mark.slow
@pytest.mark.parametrize("scope", [ONE_OF_TWO, THE_ONLY_ONE])
def test_both_halves_break_nothing(scope: str) -> None:
    verdict = judge("skip_missing_nodes_and_go_round_all", "1.28.8", scope)
    assert verdict.outcome is not Outcome.VIOLATED, verdict.reasons
    assert "broken" not in {change for change, *_ in lengths(verdict).values()}


def test_a_fix_that_gives_up_the_search_where_a_name_is_gone_is_refused(tmp_path: Path) -> None:
    """No error hides a node then. The pod counts as one that fits nowhere, though it fits on the other node."""
    fix = tmp_path / "give_up.py"
    whole = (FIXES / "skip_missing_nodes_and_go_round_all.py").read_text()
    answer = "return others_are_unresolvable(names, nodes)"
    gives_up = "return others_are_unresolvable(names if set(names) <= set(nodes) else (), nodes)"
    fix.write_text(whole.replace(answer, gives_up))
    verdict = validate(fix, "1.28.8", systems=["scheduling-cycle"], scope=ONE_OF_TWO, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    assert lengths(verdict)["named-nodes-are-tried"][0] == "broken"
