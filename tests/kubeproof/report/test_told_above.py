"""What an earlier run of a page has told is not told again."""

import re

from attrs import evolve

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.runs import KeptRun, kept_runs
from kubeproof.report.markdown import environment
from kubeproof.report.told import run_of
from kubeproof.report.told_above import OnPage, told_above
from tests.conftest import ROOT


def on_page(heading: str, run: KeptRun, bug: Bug) -> OnPage:
    trace = run.played(run.machine())
    return OnPage(heading, trace, run_of(evolve(bug, violates=run.property), run.scope, trace, "wrong"))


def runs_of(name: str) -> list[OnPage]:
    bug = bug_named(name)
    headings = ["What happens", *(question.asked for question in bug.questions)]
    return [on_page(heading, run, bug) for heading, run in zip(headings, kept_runs(name), strict=False)]


def stretches(runs: list[OnPage]) -> list[tuple[int, int, int]]:
    """Of the last of the runs: the actions that are told above, and by which of the runs."""
    found = set(told_above(runs[-1], runs[:-1]).values())
    return sorted((each.first, each.last, runs.index(each.of)) for each in found)


def test_what_did_the_same_is_told_once() -> None:
    runs = runs_of("NOM-EXT-LEAK")
    assert stretches(runs[:1]) == []
    # With one node less `Schedule`, action 4, does something else.
    assert stretches(runs[:2]) == [(1, 3, 0), (5, 7, 0)]
    # The run that tells most.
    assert stretches(runs[:3]) == [(1, 7, 1)]
    # Then another action comes.
    assert stretches(runs[:4]) == [(1, 4, 0)]


def test_nothing_is_told_above_of_a_run_that_begins_otherwise() -> None:
    first, second, *_ = runs_of("PERMIT-GROUP-HOLDS")
    assert first.trace.actions[:2] != second.trace.actions[:2]
    assert stretches([first, second]) == []


def test_a_single_action_is_told_again() -> None:
    run = runs_of("NODETREE-CURSOR")[0]
    other = evolve(run.told.actions[1], sentence="Something else.")
    first, _, *rest = run.told.actions
    changed = evolve(run, told=evolve(run.told, actions=(first, other, *rest)))
    assert stretches([run, changed]) == [(3, 5, 0)]


def test_the_table_has_a_row_for_each_stretch_and_a_link() -> None:
    first, second, *_ = runs_of("NOM-EXT-LEAK")
    table = environment().get_template("run.md.j2").module.actions(second.told, told_above(second, [first]))  # type: ignore[attr-defined]
    numbers = re.findall(r"^\| (\d[\d a-z]*) \|", table, re.MULTILINE)
    assert numbers == ["1 to 3", "4", "5 to 7"]
    assert table.count("As under [What happens](#what-happens)") == 2


def test_each_link_of_a_page_leads_to_a_heading() -> None:
    pages = [(ROOT / "counterexamples" / bug.folder / "README.md").read_text() for bug in BUGS if bug.questions]
    links = [(page, *found) for page in pages for found in re.findall(r"As under \[(.*?)\]\(#(\S+)\)", page)]
    assert links
    for page, heading, anchor in links:
        assert re.search(f"^##+ {re.escape(heading)}$", page, re.MULTILINE)
        assert anchor == re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
