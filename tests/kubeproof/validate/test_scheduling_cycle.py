"""The example fixes of Reserve and Permit, each alone: what the explicit engine says of each in one small scope."""

from pathlib import Path

import pytest

from kubeproof.check.check import check_system
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT, by_engines

TWO_OF_A_GROUP = "0,pods=2,nodes=1,room=2,goroutines=1,permit=1,groups=1"
ONE_WAITS = "0,pods=1,nodes=1,room=1,goroutines=1,permit=1"
RESERVES = "0,pods=1,nodes=1,room=1,goroutines=1,reserves=2,failures=1"


def violated(fix: str, scope: str) -> set[str]:
    """The properties that 1.17.10 with the fix violates in `scope`."""
    path = ROOT / "examples" / "fixes" / f"{fix}.py"
    report = check_system("scheduling-cycle", "1.17.10", fix=path, scope=scope, engines=["explicit"])
    return {result.property for result in by_engines(report.results) if result.outcome is Outcome.VIOLATED}


# What a lost signal violates.
LOST = {"decision-of-permit-arrives", "wait-at-permit-ends", "fitting-pod-is-bound"}


@pytest.mark.parametrize(
    ("fix", "scope", "left"),
    [
        ("unreserve_when_reserve_fails", RESERVES, {"given-back-in-reverse"}),
        ("unreserve_after_assume", RESERVES, {"assumed-pod-has-an-owner", "given-back-in-reverse"}),
        ("buffered_permit", ONE_WAITS, set()),
        # Each half of what 1.18 does is needed where pods wait for each other.
        ("buffered_permit", TWO_OF_A_GROUP, {"wait-at-permit-ends", "fitting-pod-is-bound"}),
        ("permit_in_the_cycle", ONE_WAITS, LOST),
        ("permit_in_the_cycle", TWO_OF_A_GROUP, LOST),
    ],
)
def test_what_a_fix_leaves(fix: str, scope: str, left: set[str]) -> None:
    assert violated(fix, scope) == left


def test_both_halves_together_leave_nothing() -> None:
    both = ("signal_arrives=arrives_in_buffer", "points_in_cycle=permit_after_assume")
    both += ("points_in_binding=wait_in_binding",)
    for scope in (ONE_WAITS, TWO_OF_A_GROUP):
        report = check_system("scheduling-cycle", "1.17.10", rules=both, scope=scope, engines=["explicit"])
        assert [each.property for each in by_engines(report.results) if each.outcome is Outcome.VIOLATED] == []


def test_a_wait_whose_signal_is_lost_does_not_end_though_another_pod_is_not_there() -> None:
    scope = "0,pods=2,nodes=1,room=2,goroutines=1,permit=1"
    name = "wait-at-permit-ends"
    report = check_system("scheduling-cycle", "1.17.10", scope=scope, engines=["explicit"], properties=[name])
    (result,) = by_engines(report.results)
    assert result.trace is not None
    assert [action.name for action in result.trace.actions].count("create_pod") == 1
    assert result.explanation == "p1 waits at Permit as long as no time is over, and its node keeps room for it"


@pytest.mark.slow
def test_two_groups_that_each_hold_half_wait_for_each_other_until_the_time_is_over() -> None:
    scope = "0,pods=4,nodes=1,room=2,goroutines=1,permit=1,groups=2"
    name = "wait-at-permit-ends"
    report = check_system("scheduling-cycle", "1.31.13", scope=scope, engines=["explicit"], properties=[name])
    (result,) = by_engines(report.results)
    assert result.outcome is Outcome.VIOLATED


def test_the_assumed_pod_is_forgotten_after_the_error_function_has_the_listers_pod(tmp_path: Path) -> None:
    """Go: MakeDefaultErrorFunc sets podInfo.Pod, and assumedPod keeps its node: ForgetPod finds the pod."""
    path = tmp_path / "fix.py"
    path.write_text("def after_failed_reserve(): return ('record', 'unreserve', 'forget')\n", encoding="utf-8")
    for scope in ("0,pods=1,nodes=1,room=1,goroutines=1,reserves=1,failures=1,fine=1", RESERVES):
        report = check_system("scheduling-cycle", "1.19.0-rc.4", fix=path, scope=scope, engines=["explicit"])
        left = {each.property for each in by_engines(report.results) if each.outcome is Outcome.VIOLATED}
        assert "assumed-pod-has-an-owner" not in left
