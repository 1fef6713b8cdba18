"""`kubeproof report` as a user runs it: the page, and the same counterexamples as those that are kept."""

import json
import re
from pathlib import Path

import pytest

from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.cli import app, run
from kubeproof.report import build, played
from kubeproof.systems.registry import SYSTEMS
from tests.conftest import DATA, ROOT

# The release tables of these take half a minute and more each: `make counterexamples` alone computes them. Another test
# says that their runs are minimal.
TAKE_LONG = frozenset(
    (
        "PREEMPT-NAMESAKE", "NOM-DELETED-UNSEEN", "FILTER-START-SKIP", "NOM-CLEAR-OVERTAKEN-BY-PRIORITY",
        "QUEUE-UNCORDON-MISS", "PREEMPT-VICTIM-ORDER", "NOM-RACE-SETTING", "PREEMPT-TWICE", "CYCLE-CONTEXT-SHARED",
        "QUEUE-STALE-PLUGINS", "NOM-EXT-LEAK", "PREEMPT-VICTIM-GONE",
    )
)  # fmt: skip
REPORTED = [bug for bug in EVERY_BUG if bug.id not in TAKE_LONG]


@pytest.mark.slow
def test_the_report_is_written_and_kept_pages_are_up_to_date(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(REPORTED) == len(EVERY_BUG) - len(TAKE_LONG)
    for of in (build, played):
        monkeypatch.setattr(of, "BUGS", tuple(bug for bug in of.BUGS if bug.id not in TAKE_LONG))
    recording = str(DATA / "node_tree-1.17.10.jsonl")
    args = ["report", "--out", str(tmp_path), "-e", "explicit", "--recordings", recording, "--json"]
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 0
    assert all(Path(path).is_file() for path in json.loads(capsys.readouterr().out)["files"])
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "NODETREE-CURSOR" in page
    links, places = (set(re.findall(f'{key}="#?([a-z0-9-]+)"', page)) for key in ("href", "id"))
    assert {bug.folder for bug in REPORTED} | set(SYSTEMS) <= links <= places
    assert "n2 missing from the scheduler" in page
    assert "<th>recordings</th><th>mutants killed</th>" in page
    assert "<code>list_one_per_zone</code>: listed-exactly-once, list-as-long-as-tree" in page
    assert '<span class="block empty"><code>remove_node_unquoted</code>: <b>nothing</b></span>' in page
    kept, made = ROOT / "counterexamples", tmp_path / "counterexamples"
    stale = [
        str(path.relative_to(made))
        for bug in REPORTED
        for path in sorted((made / bug.folder).iterdir())
        if path.read_bytes() != (kept / bug.folder / path.name).read_bytes()
    ]
    assert not stale, "these are out of date: run `make counterexamples`"
