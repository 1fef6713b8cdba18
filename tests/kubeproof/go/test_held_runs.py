"""What tests of `kubeproof go test` printed of a branch, beside the verdict on its rule."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix, chosen_fix
from kubeproof.go.held_against import OfCheckout, joined_status, of_checkout
from kubeproof.go.held_runs import HeldRun, held_runs_of
from kubeproof.report.conformance import beside_verdict
from model.releases import known_release
from tests.conftest import DATA, ROOT

RELEASE = "1.31.13"


@contextmanager
def fix_named(name: str) -> Iterator[Fix]:
    fix = chosen_fix(ROOT / f"examples/fixes/{name}.py", [])
    assert fix is not None
    try:
        yield fix
    finally:
        fix.close()


def played(folder: Path, name: str) -> Path:
    """A folder as the command of `kubeproof go test` leaves it."""
    shutil.copy(DATA / f"{name}.txt", folder / "played.txt")
    return folder


def judged(folder: Path, fix: str) -> tuple[int, dict[str, HeldRun], str]:
    """The status, the runs by bug, and what is printed."""
    with fix_named(fix) as own:
        found = of_checkout([folder], RELEASE, own)
        runs = {run.bug.id: run for run in found[0].runs}
        return joined_status(found), runs, beside_verdict(found, known_release(RELEASE), own.label)


@pytest.mark.parametrize("name", ["go-played-cpumanager-1.31.13", "go-played-scheduler-1.31.13"])
def test_code_without_a_patch_is_the_release(tmp_path: Path, name: str) -> None:
    runs = held_runs_of(played(tmp_path, name), RELEASE, None)
    assert [run.difference for run in runs] == [""] * len(runs)
    assert any(run.checkout.violated for run in runs)


@pytest.mark.slow
def test_code_without_the_cure_is_not_the_rule(tmp_path: Path) -> None:
    status, runs, said = judged(played(tmp_path, "go-played-cpumanager-1.31.13"), "tell_when_started")
    assert status == 1
    stale = runs["CPU-STALE-LAST-UPDATE"]
    assert (stale.told, runs["CPU-SIDECAR-REUSE"].told, runs["CPU-SIDECAR-REUSE"].difference) == (True, False, "")
    assert stale.difference.startswith(
        'expected state 5: CPU manager: lastUpdateState: in the run nothing, here "p1/a0 on'
    )
    assert stale.difference.endswith("expected that the property holds, got that it is violated")
    assert "Kept runs  1 of 2 go as in 1.31.13 with tell_when_started.py" in said
    assert said.endswith("The verdict above is about the rule only: the checkout does something else.")


@pytest.mark.slow
def test_a_branch_with_the_cure_goes_as_its_rule_says(tmp_path: Path) -> None:
    """Played on 1.31.13 with a patch: `AddContainer` notes the CPUs of containers that share, too."""
    status, runs, said = judged(played(tmp_path, "go-played-cpumanager-1.31.13-told"), "tell_when_started")
    assert (status, runs["CPU-STALE-LAST-UPDATE"].told) == (0, True)
    assert {run.difference for run in runs.values()} == {""}
    assert said.endswith("tested on what was played, no more. The verdict above is about its rule too.")
    # It is not the release, and not another cure.
    assert any(run.difference for run in held_runs_of(tmp_path, RELEASE, None))
    assert judged(tmp_path, "reset_pending_admission")[0] == 1


@pytest.mark.slow
def test_runs_that_the_fix_does_not_touch_tell_nothing(tmp_path: Path) -> None:
    status, runs, said = judged(played(tmp_path, "go-played-cpumanager-1.31.13"), "keep_siblings_cpus")
    assert (status, [run.told for run in runs.values()]) == (3, [False] * len(runs))
    assert "nothing that was played shows whether the checkout has it" in said


def test_a_cache_with_the_upstream_fix_of_nodetree_cursor_goes_as_its_rule_says(tmp_path: Path) -> None:
    """Played on 1.18.4 with the line of #93387: `resetExhausted` before the list is made."""
    folder = played(tmp_path, "go-played-cache-1.18.4-reset")
    with fix_named("reset_cursors") as fix:
        (run,) = held_runs_of(folder, "1.18.4", fix)
    assert (run.told, run.difference, run.checkout.violated) == (True, "", False)
    (release,) = held_runs_of(folder, "1.18.4", None)
    assert release.difference.endswith("expected that the property is violated, got that it holds")


def test_what_is_no_output_of_tests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither results\.jsonl nor played\.txt is there"):
        of_checkout([tmp_path], RELEASE, None)
    (tmp_path / "played.txt").write_text("ok\n")
    with pytest.raises(InputError, match=r"played.txt: no report of a kept run: expected what a test of"):
        of_checkout([tmp_path], RELEASE, None)
    played(tmp_path, "go-played-cpumanager-1.31.13")
    with pytest.raises(InputError, match="expected --release with it"):
        of_checkout([tmp_path], None, None)
    with pytest.raises(InputError, match=r"compared with the run of 1\.31\.13: expected results of a test that"):
        of_checkout([tmp_path], "1.28.14", None)
    text = (tmp_path / "played.txt").read_text()
    (tmp_path / "played.txt").write_text(text.replace('"bug":"CPU-STALE-LAST-UPDATE"', '"bug":"CPU-NOT-THERE"'))
    with pytest.raises(InputError, match="CPU-NOT-THERE"):
        of_checkout([tmp_path], RELEASE, None)


def test_nothing_played_is_no_answer() -> None:
    assert joined_status([OfCheckout(None, ())]) == 3
