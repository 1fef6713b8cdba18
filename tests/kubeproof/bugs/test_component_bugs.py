"""The bugs that components show: what is kept is up to date, and no demonstration answers the same whatever it is told.

What each release shows is in `releases.json` beside the page.
"""

import json
import re

import pytest

from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, Bug, bug_named
from kubeproof.bugs.component import ComponentBug, Under
from kubeproof.bugs.demonstrations.registry import DEMONSTRATIONS
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from kubeproof.report.build import write_counterexamples
from kubeproof.report.component import component_files
from kubeproof.report.releases import release_table_of
from model.cpu.locking import LockingRules
from model.releases import ROWS, known_release, newest, parse_release
from tests.conftest import ROOT

EACH = pytest.mark.parametrize("bug", COMPONENT_BUGS, ids=lambda bug: bug.id)
# Every release of these takes seconds: the fast tests ask of the bug's own release and of one that has it not.
LONG = {"QH-PLUGIN-HINT-MISS": "1.29.1", "QUEUE-EVENT-REG": "1.23.7"}
EACH_RELEASE = pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, id=bug.id, marks=pytest.mark.slow if bug.id in LONG else ()) for bug in COMPONENT_BUGS],
)


@EACH_RELEASE
def test_what_is_kept_is_up_to_date(bug: ComponentBug) -> None:
    for name, content in component_files(bug).items():
        kept = ROOT / "counterexamples" / bug.folder / name
        assert kept.read_text(encoding="utf-8") == content, f"{kept} is out of date: run `make counterexamples`"


@EACH_RELEASE
def test_it_does_not_appear_in_every_release(bug: ComponentBug) -> None:
    # Of a bug that no release cures, a variant does not have it.
    assert {bool(row["shown"]) for row in release_table_of(bug.shown_by)} == {True, False}


@EACH
def test_it_appears_in_its_release(bug: ComponentBug) -> None:
    assert bug.demonstrate(known_release(bug.release)).appears
    if bug.id in LONG:
        assert not bug.demonstrate(known_release(LONG[bug.id])).appears
    assert set(bug.shown_by.looked_up(known_release(bug.release))) <= {row.field for row in ROWS}


@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug.besides is not None], ids=lambda bug: bug.id)
def test_what_components_show_beside_a_run_is_of_its_release_and_not_of_every_one(bug: Bug) -> None:
    assert bug.besides is not None
    found = bug.besides.demonstrate(known_release(bug.release))
    assert {bool(row["shown"]) for row in release_table_of(bug.besides)} == {True, False}
    page = (ROOT / "counterexamples" / bug.folder / "README.md").read_text(encoding="utf-8")
    assert found.appears
    assert all(line in page for line in found.lines)


def test_without_the_fix_no_checksum_of_1_17_is_right() -> None:
    (variant,) = DEMONSTRATIONS["checkpoint_of_1_17"].variants
    shown = DEMONSTRATIONS["checkpoint_of_1_17"].vary(variant).shown
    assert shown == ("upgrade from 1.17", "upgrade from 1.17 of an idle node")


def test_the_demonstration_goes_by_the_rules() -> None:
    """With another release's locks the race of 1.18.0 is not there."""
    (race,) = (bug for bug in COMPONENT_BUGS if bug.id == "CPU-CONTAINERMAP-RACE")
    under = Under(parse_release("1.18.0"))
    assert race.shown_by.ask(under).appears
    assert under.looked_up == {"manager_accesses"}
    newest_accesses = newest(LockingRules, "cpu-manager").manager_accesses
    assert not race.shown_by.ask(under.but(manager_accesses=newest_accesses)).appears


def test_the_command_prints_what_happens(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(lambda: app(["reproduce", "cpu-hints", "--json"], standalone_mode=False)) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["bug"], found["release"], found["appears"], found["trace"]) == ("CPU-HINTS", "1.18.4", True, None)
    assert run(lambda: app(["reproduce", "cpu-hints"], standalone_mode=False)) == 0
    text = capsys.readouterr().out
    assert all(line in text for line in found["lines"])


def test_there_is_no_kept_run_of_it() -> None:
    with pytest.raises(InputError, match="shown on components"):
        bug_named("CPU-HINTS")


@pytest.mark.slow
def test_they_are_written_with_the_others(tmp_path) -> None:
    paths = write_counterexamples(tmp_path, ["CPU-LATE-ALLOC"])
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "cpu-late-alloc/README.md",
        "cpu-late-alloc/releases.json",
        "README.md",
    ]


@pytest.mark.slow
def test_the_command_writes_one_bug_alone(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["report", "--counterexamples", str(tmp_path), "--bug", "cpu-late-alloc"]
    run(lambda: app(args, standalone_mode=False))
    assert {path.name for path in tmp_path.iterdir()} == {"cpu-late-alloc", "README.md"}
    index = (tmp_path / "README.md").read_text()
    assert re.findall(r"\]\(([\w/-]+)README.md\)", index) == ["cpu-late-alloc/"]
    assert run(lambda: app(["report", "--bug", "cpu-late-alloc"], standalone_mode=False)) == 2
    assert "--bug: expected --counterexamples" in capsys.readouterr().err


def test_a_bug_that_nothing_shows_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(lambda: app(["reproduce", "snap-map-list-check"], standalone_mode=False)) == 2
    assert (
        "SNAP-MAP-LIST-CHECK has no counterexample (`kubeproof show SNAP-MAP-LIST-CHECK` says more): No release"
        in capsys.readouterr().err
    )
    run(lambda: app(["bugs", "--json"], standalone_mode=False))
    listed = json.loads(capsys.readouterr().out)
    assert "SNAP-MAP-LIST-CHECK" in {bug["id"] for bug in listed["not_shown"]}
    assert {bug["id"] for bug in listed["bugs"]}.isdisjoint(bug["id"] for bug in listed["not_shown"])
