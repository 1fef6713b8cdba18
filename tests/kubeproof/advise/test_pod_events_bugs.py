"""Which bugs of which releases pod-events names."""

import re

import pytest
from attrs import evolve
from packaging.version import Version

from kubeproof.advise.pod_events import analyse, read_files, render
from kubeproof.advise.pod_events.bugs import Range, known_bug, merged
from kubeproof.bugs.catalogue import EVERY_BUG, any_bug_named, bug_named
from kubeproof.bugs.counterexample import minimal_counterexample, release_rows_of
from kubeproof.bugs.kept import KeptRow, kept_releases
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from model.releases import known_release
from tests.conftest import ROOT
from tests.kubeproof.advise.pod_lists import T9, TWO, ask, failed, kinds, pod


@pytest.mark.slow
def test_releases_are_kept_as_they_were_computed() -> None:
    bug = bug_named("NODETREE-CURSOR")
    example = minimal_counterexample(bug)
    assert example is not None
    computed = [
        (row.first, row.last, row.shows_bug, tuple(row.evidence.split(", "))) for row in release_rows_of(example)
    ]
    assert [(row.first, row.last, row.shown, row.evidence) for row in kept_releases(bug)] == computed
    known = known_bug("NODETREE-CURSOR")
    assert known.affected == (Range("1.13.0", "1.18.6"),)
    assert known.page == "counterexamples/nodetree-cursor/README.md"
    assert known.traced
    assert known.cured_in(None) == "1.18.7"
    assert known_bug("BIND-TIMEOUT-BOUND").cured_in(None) is None
    assert not known_bug("CPU-HINTS").traced


def test_every_bug_has_its_releases_and_the_page_says_the_same() -> None:
    for bug in EVERY_BUG:
        page = (ROOT / "counterexamples" / bug.folder / "README.md").read_text()
        table = page.partition("## Which releases")[2].partition("\nRules:")[0]
        rows = [line for line in table.splitlines() if re.match(r"\| 1\.\d+\.\d+ to 1\.\d+\.\d+ \|", line)]
        kept = kept_releases(bug)
        assert [(f"| {row.first} to {row.last} |", row.shown) for row in kept] == [
            (re.match(r"\| [^|]*\|", line)[0], "**yes**" in line) for line in rows
        ], bug.id
        # The tables have no pre-releases, and two bugs ended in one.
        assert known_bug(bug.id).affected or "-" in bug.release, bug.id
        for row in kept:
            assert known_release(row.first).version <= known_release(row.last).version


def test_releases_that_show_a_bug_in_a_row_are_one_range() -> None:
    rows = [
        KeptRow(first, last, shown, shown, ("read",))
        for first, last, shown in (
            ("1.13.0", "1.13.12", False),
            ("1.14.0", "1.14.10", True),
            ("1.15.0", "1.15.11", True),
            ("1.16.0", "1.16.15", False),
            ("1.17.0", "1.17.17", True),
        )
    ]
    assert list(merged(rows)) == [Range("1.14.0", "1.15.11"), Range("1.17.0", "1.17.17")]


def test_a_bug_without_releases_and_an_unknown_one_are_refused() -> None:
    with pytest.raises(InputError, match=r"counterexamples/no-such/releases.json: missing or damaged"):
        kept_releases(evolve(bug_named("NODETREE-CURSOR"), id="NO-SUCH"))
    with pytest.raises(InputError, match="'NO-SUCH' is not a bug"):
        known_bug("NO-SUCH")


def test_where_no_bug_of_the_release_fits_that_is_said() -> None:
    answer = ask(*TWO, pod(nominated="n9"), failed(T9), release="1.31")
    assert "None of the bugs that look like this is known of 1.31" in " ".join(render(answer).split())
    assert kinds(answer) == ["nominated-node-gone"]


def test_of_a_release_that_no_table_has_nothing_is_claimed() -> None:
    files = [ROOT / "tests/data" / f"pod-events-{name}.json" for name in ("pods", "events", "nodes")]
    answer = analyse(read_files(files), known_release("1.36.3"))
    bugs = {bug.bug: bug for finding in answer.findings for bug in finding.bugs}
    ends = {name: kept_releases(any_bug_named(name))[-1].last for name in bugs}
    assert {name: bug.asked_to for name, bug in bugs.items()} == ends
    for bug in bugs.values():
        asked = Version(bug.asked_to) >= Version("1.36.3")
        last = known_bug(bug.bug).affects(known_release(bug.asked_to))
        assert (bug.asked, bug.in_release) == (asked, last if asked or not last else None)
        assert asked or bug.cured_in is None
    still = [name for name, bug in bugs.items() if bug.in_release is None]
    assert all(name in render(answer).partition("Still in ")[2] for name in still)


def test_what_a_newer_release_is_judged_as_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["pod-events", str(ROOT / "tests/data/pod-events-pods.json"), "--release", "1.37.2"]
    run(lambda: app(args, prog_name="kubeproof", standalone_mode=False))
    assert "1.37.2 is newer than every model: judged as 1.36.3" in capsys.readouterr().err
