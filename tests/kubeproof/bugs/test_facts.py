"""The two facts that a reader wants of a bug first: the commands and the page say the same."""

import re

import pytest
from attrs import evolve

from kubeproof.bugs.bug import UnshownBug
from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, UNSHOWN_BUGS, bug_named
from kubeproof.bugs.facts import facts_line, known_upstream, reported, seen_on
from kubeproof.bugs.load import load_bugs
from kubeproof.bugs.played import played_of
from tests.conftest import ROOT
from tests.kubeproof.test_cli import Captured, document, kubeproof

LEAK, STALE = bug_named("CACHE-RECREATE-LEAK"), bug_named("CPU-STALE-LAST-UPDATE")


def test_every_bug_has_either_a_report_or_a_day_on_which_none_was_found() -> None:
    for bug in load_bugs():
        assert known_upstream(bug) == bool(bug.issues or bug.fixes) == (bug.searched == "")
        if not known_upstream(bug):
            assert re.fullmatch(r"nothing found on \d{4}-\d\d-\d\d", reported(bug))
    assert {known_upstream(bug) for bug in load_bugs()} == {True, False}


def test_a_report_is_named_by_its_numbers() -> None:
    assert "141255" in reported(LEAK)
    at = "https://github.com/kubernetes/kubernetes"
    known = evolve(STALE, issues=(f"{at}/issues/1", f"{at}/issues/2"), fixes=(f"{at}/pull/3",))
    assert reported(known) == "issue #1, #2; pull request #3"
    assert reported(evolve(known, issues=())) == "pull request #3"


def test_seen_is_what_was_played_as_in_the_trace_and_violated() -> None:
    row = next(row for row in played_of(STALE) if row.violated)
    assert row.same
    assert seen_on(STALE, [row, row]) == (row.release,)
    assert seen_on(STALE, [evolve(row, violated="", expected=False), evolve(row, result="differs at state 3")]) == ()
    assert facts_line(STALE, []).endswith("; not seen on the real code.")
    assert facts_line(STALE, [row]).endswith(f"; seen on the real code of {row.release}.")
    (unshown, *_) = UNSHOWN_BUGS
    assert isinstance(unshown, UnshownBug)
    assert facts_line(unshown).endswith("; not seen on the real code.")


@pytest.mark.parametrize("bug", [*BUGS, *COMPONENT_BUGS], ids=lambda bug: bug.id)
def test_the_page_says_the_facts(bug: object) -> None:
    page = (ROOT / "counterexamples" / bug.folder / "README.md").read_text("utf-8")  # type: ignore[attr-defined]
    assert facts_line(bug) in page.splitlines()  # type: ignore[arg-type]


def test_a_reported_bug_is_listed_as_reported(capsys: Captured) -> None:
    _, out, _ = kubeproof(capsys, "bugs", "--release", "1.31.13")
    lines = out.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(f"{LEAK.id} "))
    assert "#141255" in lines[at + 1]
    assert "nothing is known upstream" not in lines[at + 1]
    _, found = document(capsys, "bugs", "--release", "1.31.13")
    listed = {each["id"]: each for each in found["bugs"]}
    assert any("141255" in link for link in listed[LEAK.id]["issues"] + listed[LEAK.id]["fixes"])
    assert not listed[STALE.id]["issues"] + listed[STALE.id]["fixes"]
