"""What a test of a kept run printed: read, kept beside what is known of other releases, and on the pages."""

import json
from pathlib import Path

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.played import played_document, played_of, trace_digest
from kubeproof.bugs.runs import kept_run
from kubeproof.errors import InputError
from kubeproof.go.generated import why_not_played
from kubeproof.go.played import keep, played_on
from kubeproof.report.markdown import environment
from model.releases import known_release
from tests.conftest import ROOT
from tests.kubeproof.go.test_go_commands import Captured, kubeproof

# Printed on the code of 1.31.13; most lines of its log are left out.
PRINTED = ROOT / "tests/data/go-played-cpumanager-1.31.13.txt"
STALE = bug_named("CPU-STALE-LAST-UPDATE")
OF = known_release("1.31.13")


def printed(folder: Path, *changes: tuple[str, str]) -> Path:
    text = PRINTED.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "played.txt"
    path.write_text(text)
    return path


def test_what_was_printed_is_read() -> None:
    found = played_on(STALE, PRINTED, OF)
    assert found.same
    assert found.told == "as in the trace"
    assert found.violated.startswith("p1/a0 shares")
    assert "/" not in found.command.replace("./", "")
    cured = played_on(bug_named("CPU-SIDECAR-REUSE"), PRINTED, OF)
    assert cured.same
    assert cured.told == "not there, as the model says"


def test_the_events_of_go_test_json_are_read_with_their_date(tmp_path: Path) -> None:
    lines = [
        json.dumps({"Time": "2026-11-23T08:11:05.1Z", "Action": "output", "Package": "p", "Output": line + "\n"})
        for line in PRINTED.read_text().splitlines()
    ]
    path = tmp_path / "played.json"
    path.write_text("\n".join(lines))
    assert played_on(STALE, path, OF).date == "2026-11-23"
    path.write_text("\n".join(lines)[:-20])
    with pytest.raises(InputError, match="not an event of `go test -json`: cut off"):
        played_on(STALE, path, OF)
    path.write_text("\n".join(lines).replace('"2026-11-23T08:11:05.1Z"', "null"))
    with pytest.raises(InputError, match="not an event of `go test -json`: cut off"):
        played_on(STALE, path, OF)


def test_a_difference_and_a_run_that_stops_are_told_apart(tmp_path: Path) -> None:
    of_stale = '"bug":"CPU-STALE-LAST-UPDATE","differs":"'
    differs = played_on(STALE, printed(tmp_path, (of_stale, of_stale + "pod p1: x")), OF)
    assert not differs.same
    assert differs.told == "differs at state 0, and the property is violated"
    stopped = played_on(STALE, printed(tmp_path, ('"stopped":"","taken":13', '"stopped":"no","taken":3')), OF)
    assert stopped.told == "cannot be played after state 3, and the property is violated"


def test_a_patched_checkout_is_judged_by_the_property_and_nothing_of_it_is_kept(
    capsys: Captured, tmp_path: Path
) -> None:
    def asked(bug: str, results: Path) -> tuple[int, str, str]:
        argv = ["go", "played", bug, str(results), "--release", "1.31.13", "--counterexamples", str(tmp_path)]
        return kubeproof(capsys, *argv, "--patched")

    status, told, _ = asked("CPU-STALE-LAST-UPDATE", PRINTED)
    assert status == 1
    assert "as in the trace (with a patch, not kept)" in told
    cured = printed(
        tmp_path, ('"bug":"CPU-SIDECAR-REUSE","differs":"', '"bug":"CPU-SIDECAR-REUSE","differs":"pod p1: x')
    )
    assert asked("CPU-SIDECAR-REUSE", cured)[0] == 0
    assert not list(tmp_path.rglob("played.json"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kubeproof-played {", "kubeproof-played [", "not a report of a run: cut off?"),
        ('"taken":13', '"taken":"13"', "expected the report of a run"),
        ('"release":"1.31.13"', '"release":"1.28.14"', "compared with the run of 1.28.14"),
        (trace_digest(kept_run(STALE)), "0" * 12, "results of another run of CPU-STALE-LAST-UPDATE"),
        ("--- FAIL: TestCpuStaleLastUpdate", "panic: ", "TestCpuStaleLastUpdate has not ended"),
        ("kubeproof-played", "played", "no report of CPU-STALE-LAST-UPDATE"),
    ],
)
def test_results_that_do_not_fit_are_refused_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        played_on(STALE, printed(tmp_path, (old, new)), OF)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("=== RUN   TestCpuStaleLastUpdate\npanic: boom\n", "panic: boom"),
        ("# k8s.io/x\npkg/a.go:7:2: undefined: x\nFAIL\n", "pkg/a.go:7:2: undefined: x"),
        ("ok\n", "this test did not run"),
    ],
)
def test_a_panic_or_an_error_of_the_build_is_shown_as_go_said_it(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "played.txt").write_text(text)
    with pytest.raises(InputError, match=said):
        played_on(STALE, tmp_path / "played.txt", OF)


def test_what_is_kept_of_other_releases_stays_and_of_another_run_goes(tmp_path: Path) -> None:
    keep(STALE, played_on(STALE, PRINTED, OF), tmp_path)
    old = printed(tmp_path, ('"release":"1.31.13"', '"release":"1.28.14"'))
    path = keep(STALE, played_on(STALE, old, known_release("1.28.14")), tmp_path)
    assert [row.release for row in played_document(path.read_text(), "").played] == ["1.28.14", "1.31.13"]
    path.write_text(path.read_text().replace(trace_digest(kept_run(STALE)), "0" * 12))
    keep(STALE, played_on(STALE, PRINTED, OF), tmp_path)
    assert [row.release for row in played_document(path.read_text(), "").played] == ["1.31.13"]
    with pytest.raises(InputError, match="damaged"):
        played_document("{}", "x")
    path.write_bytes(path.read_bytes().replace(b"as in the trace", b"as in the trac\xe9"))
    with pytest.raises(InputError, match="not UTF-8 text: expected what `kubeproof go played` writes"):
        keep(STALE, played_on(STALE, PRINTED, OF), tmp_path)
    with pytest.raises(InputError, match="not a folder"):
        keep(STALE, played_on(STALE, PRINTED, OF), tmp_path / "nowhere")


KEPT = [bug for bug in BUGS if (ROOT / "counterexamples" / bug.folder / "played.json").is_file()]


def test_kept_runs_were_played() -> None:
    assert "CPU-STALE-LAST-UPDATE" in {bug.id for bug in KEPT}


@pytest.mark.parametrize("bug", KEPT, ids=lambda bug: bug.id)
def test_what_was_played_is_of_the_kept_run_and_on_the_page(bug: Bug) -> None:
    """A run that is found anew has to be played anew, or its played.json goes."""
    rows = played_of(bug)
    assert rows, "played.json is of another run"
    page = (ROOT / "counterexamples" / bug.folder / "README.md").read_text()
    told = environment().get_template("played.md.j2").module.told(bug, rows)  # type: ignore[attr-defined]
    assert told.strip() in page
    # Under other rules a run may end earlier: what was seen of it says nothing then.
    for row in rows:
        assert row.run or why_not_played(bug, known_release(row.release)) == "", row.release
