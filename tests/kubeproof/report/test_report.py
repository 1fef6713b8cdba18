"""`kubeproof report` as a user runs it: of all systems, or of some.

That the kept counterexamples are up to date is in tests/kubeproof/bugs/test_counterexamples.py.
"""

import json
import re
from pathlib import Path

import pytest

from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, UNSHOWN_BUGS
from kubeproof.cli import app, run
from kubeproof.report import build
from kubeproof.systems.registry import SYSTEMS
from tests.conftest import DATA, ROOT


def report(capsys: pytest.CaptureFixture[str], folder: Path, *options: str) -> str:
    """index.html as the command writes it, after a look at the other files."""
    args = ["report", "--out", str(folder), "-e", "explicit", *options, "--json"]
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 0
    assert all(Path(path).is_file() for path in json.loads(capsys.readouterr().out)["files"])
    kept, made = ROOT / "counterexamples", folder / "counterexamples"
    for path in sorted(made.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (kept / path.relative_to(made)).read_bytes(), "run `make counterexamples`"
    return (folder / "index.html").read_text(encoding="utf-8")


def links(page: str) -> set[str]:
    """What the page links to within itself, and has."""
    to, places = (set(re.findall(f'{key}="#?([a-z0-9-]+)"', page)) for key in ("href", "id"))
    assert to <= places
    return to


@pytest.mark.slow
def test_a_report_of_one_system_is_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recording = str(DATA / "node_tree-1.17.10.jsonl")
    page = report(capsys, tmp_path, "--system", "node-listing", "--recordings", recording)
    own = {bug.folder for bug in BUGS if bug.system == "node-listing"}
    assert links(page) - {"played"} == {"node-listing"} | own
    assert {path.name for path in (tmp_path / "counterexamples").iterdir()} == own
    assert "n2 missing from the scheduler" in page
    assert "<th>recordings</th><th>mutants killed</th>" in page
    assert "<code>list_one_per_zone</code>: listed-exactly-once, list-as-long-as-tree" in page
    assert '<td class="soft">list</td>' not in page
    assert "<td>listed-exactly-once" in page, "a field of the state that a property notices"


def nothing_noticed(_: str) -> list[object]:
    """In the place of a table of fields: tests/kubeproof/report/test_noticed.py has all of them made."""
    return []


@pytest.mark.slow
def test_the_whole_report_has_every_system(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one bug of each system, and what other rules break left out of the systems where that takes minutes."""
    first = {bug.system: bug for bug in reversed(BUGS)}
    assert set(first) == set(SYSTEMS)
    matrix = build._matrix
    monkeypatch.setattr(build, "BUGS", [bug for bug in BUGS if bug in first.values()])
    monkeypatch.setattr(build, "noticed", nothing_noticed)
    monkeypatch.setattr(
        build, "_matrix", lambda each, of, examples: iter(()) if of.scopes.report else matrix(each, of, examples)
    )
    page = report(capsys, tmp_path)
    components = {bug.folder for bug in COMPONENT_BUGS}
    assert links(page) - {"played", "growth", "not-shown"} == {
        *SYSTEMS, *components, *(bug.folder for bug in first.values()),
    }  # fmt: skip
    assert all(f"<b>{bug.id}: " in page for bug in UNSHOWN_BUGS)
    assert '<h2 id="growth">' in page
    assert '<span class="block empty"><code>remove_node_unquoted</code>: <b>nothing</b></span>' in page
