"""`kubeproof report` as a user runs it: of all systems, or of some.

That the kept counterexamples are up to date is in tests/kubeproof/bugs/test_counterexamples.py.
"""

import json
import re
from collections.abc import Collection
from pathlib import Path

import pytest

from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, UNSHOWN_BUGS
from kubeproof.cli import app, run
from kubeproof.report import build, tasks
from kubeproof.report.build import newest_questions, runs_told, seconds_of
from kubeproof.report.everything import older_questions
from kubeproof.report.kept_tables import FIELDS, OTHER_RULES, kept_table
from kubeproof.report.tasks import QUICK, Seen, ToldBug, stretches
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from tests.conftest import DATA, ROOT

Captured = pytest.CaptureFixture[str]


def report(capsys: Captured, folder: Path, *options: str) -> str:
    """index.html as the command writes it, after a look at the other files."""
    args = ["report", "--out", str(folder), *options, "--json"]
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 0
    assert all(Path(path).is_file() for path in json.loads(capsys.readouterr().out)["files"])
    kept, made = ROOT / "counterexamples", folder / "counterexamples"
    for path in sorted(made.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (kept / path.relative_to(made)).read_bytes(), "run `make counterexamples`"
    return (folder / "index.html").read_text(encoding="utf-8")


def links(page: str, left_out: Collection[str] = ()) -> set[str]:
    """What the page links to within itself, and has; it need not have what is `left_out`."""
    to, places = (set(re.findall(f'{key}="{mark}([a-z0-9-]+)"', page)) for key, mark in (("href", "#"), ("id", "")))
    assert to <= places | set(left_out)
    return to & places


def cells(page: str, system: str, property: str) -> list[str]:
    """The cells of the property in the table of the system, from the newest releases on."""
    table = page.partition(f'<h2 id="{system}">')[2].partition("</table>")[0]
    row = table.partition(f"<b>{property}</b>")[2].partition("</tr>")[0]
    return row.split("</td>")[1:-1]


def origins(page: str) -> list[str]:
    """The words in italics: where each number comes from."""
    return re.findall(r'class="origin">\(?([^)<]*)', page)


@pytest.mark.slow
def test_a_report_of_one_system_is_whole(capsys: Captured, tmp_path: Path) -> None:
    recording = str(DATA / "node_tree-1.17.10.jsonl")
    page = report(capsys, tmp_path, "-e", "explicit", "--system", "node-listing", "--recordings", recording)
    own = {bug.folder for bug in BUGS if bug.system == "node-listing"}
    assert links(page) - {"played"} == {"node-listing", "bugs-of-node-listing"} | own
    assert {path.name for path in (tmp_path / "counterexamples").iterdir()} == own
    assert "n2 missing from the scheduler" in page
    assert "<th>recordings</th><th>mutants killed</th>" in page
    assert '<td class="soft">list</td>' not in page
    assert "<td>listed-exactly-once" in page, "a field of the state that a property notices"
    assert "each is as its page says" in page
    assert "none diverges" in page
    # The cell of a violated property leads to the run.
    newest, *_, oldest = cells(page, "node-listing", "listed-exactly-once")
    assert "<b>violated</b></summary><p>A kept run, 5 actions, in the scope " in oldest
    assert '</p></details><a class="cell" href="#nodetree-cursor">NODETREE-CURSOR</a>' in oldest
    assert '<p id="nodetree-cursor">' in page
    assert "violated" not in newest
    # Each number is computed now, or names the commit that computed it.
    said = origins(page)
    known = r"computed now|computed at commit [0-9a-f]+ of \d{4}-|kept in played\.json"
    assert all(re.search(known, each) for each in said)
    assert str(kept_table(OTHER_RULES).origin) in said
    assert {"computed now", str(kept_table(FIELDS).origin)} <= set(said)
    documents = json.loads((tmp_path / "report.json").read_text("utf-8"))["checks"]
    assert {each["engine"] for each in documents} == {"explicit"}
    assert {each["release"] for each in documents} == {first for first, _ in stretches(NODE_LISTING)}
    assert {each["property"] for each in documents} == {p.name for p in NODE_LISTING.properties}


@pytest.mark.slow
def test_what_holds_in_the_table_s_scope_and_not_in_a_kept_run_is_violated(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "stretches", lambda system: stretches(system)[-1:])
    page = report(capsys, tmp_path, "-e", "explicit", "--system", "cpu-manager")
    newest = cells(page, "cpu-manager", "shared-off-exclusive")[0]
    kept, _, engines = newest.partition("explicit <b>")
    assert "<b>violated</b></summary><p>A kept run, 13 actions, in the scope only cores=3," in kept
    assert '<a class="cell" href="#cpu-stale-last-update">CPU-STALE-LAST-UPDATE</a>' in kept
    assert engines.startswith("holds</b>")
    assert '<p id="cpu-stale-last-update">' in page


@pytest.mark.slow
def test_the_whole_report_has_every_system(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one bug of each system, and one stretch of each but the least."""
    first = {bug.system: bug for bug in reversed(BUGS)}
    assert set(first) == set(SYSTEMS)
    few = tuple(bug for bug in BUGS if bug in first.values())
    monkeypatch.setattr(tasks, "BUGS", few)
    monkeypatch.setattr(build, "stretches", lambda system: stretches(system)[-1:])
    monkeypatch.setattr("kubeproof.processes.pool.processors", lambda: 1)
    page = report(capsys, tmp_path, "-e", "explicit")
    others = {bug.folder for bug in BUGS if bug not in few}
    assert links(page, others) - {"played", "growth", "not-shown", "components"} == {
        *SYSTEMS, *(f"bugs-of-{name}" for name in SYSTEMS), *(bug.folder for bug in few),
    }  # fmt: skip
    assert all(f'<p id="{bug.folder}">' in page for bug in (*few, *COMPONENT_BUGS))
    assert all(f"<b>{bug.id}: " in page for bug in UNSHOWN_BUGS)
    assert '<h2 id="growth">' in page


def test_the_newest_release_is_asked_of_every_engine_and_the_heaviest_come_first() -> None:
    systems = list(SYSTEMS.values())
    asked = newest_questions(systems, ["explicit", "tlc", "z3"], QUICK)
    # The explicit engine is asked of every stretch in the table's scope: here of a default scope that is another one.
    wider = [system.name for system in systems if system.scopes.report not in (None, system.scope)]
    assert {"cpu-manager", "scheduling-cycle"} <= set(wider)
    assert [each.system for each in asked if each.engine == "explicit"] == wider
    engines = [each.engine for each in sorted(asked, key=seconds_of, reverse=True)]
    assert engines == [*["z3"] * len(systems), *["tlc"] * len(systems), *["explicit"] * len(wider)]
    assert {(each.system, each.first, each.last) for each in asked} == {
        (system.name, *stretches(system)[-1]) for system in systems
    }
    assert all(each.scope is not None for each in asked if each.engine == "explicit")


def test_everything_asks_the_other_engines_of_older_releases_too() -> None:
    systems = [NODE_LISTING, SYSTEMS["scheduling"]]
    asked = older_questions(systems, ["explicit", "z3"])
    # A system with a scope of its own for the report has too many stretches.
    assert SYSTEMS["scheduling"].scopes.report is not None
    assert [(each.system, each.first, each.engine) for each in asked] == [
        ("node-listing", first, "z3") for first, _ in stretches(NODE_LISTING)[:-1]
    ]


def test_a_run_that_is_not_as_its_page_says_is_an_error_of_the_report() -> None:
    seen = [
        Seen("NODETREE-CURSOR", "node-listing", "1.18.4", {"listed-exactly-once": ("0,nodes=3,zones=2", 5)}, True),
        Seen("NODETREE-CURSOR", "node-listing", "1.18.7", {}, False),
    ]
    told = {"NODETREE-CURSOR": ToldBug("NODETREE-CURSOR", True, "n2 missing", None)}
    assert runs_told(seen, told, ()) == {"bugs": 1, "stretches": 2, "errors": []}
    unseen = Seen("NODETREE-CURSOR", "node-listing", "1.18.7", {"relisting-permutes": ("", 1)}, True)
    gone = {"NODETREE-CURSOR": ToldBug("NODETREE-CURSOR", False, "the recorded run does not exist", None)}
    assert runs_told([*seen, unseen], gone, ["a page differs"])["errors"] == [
        "NODETREE-CURSOR: the recorded run does not exist",
        "NODETREE-CURSOR: no kept run violates its property in 1.18.7",
        "a page differs",
    ]
