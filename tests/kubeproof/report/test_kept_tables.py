"""The tables that take minutes to compute: written as they are read, and damaged ones refused in one line."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubeproof.errors import InputError
from kubeproof.report import kept_tables
from kubeproof.report.coverage import Killed
from kubeproof.report.kept_tables import (
    ENGINES,
    FIELDS,
    FOLDER,
    NOW,
    OTHER_RULES,
    UNKNOWN,
    KeptTable,
    Origin,
    cells_of,
    changed_since,
    field_rows,
    fields_of,
    head_commit,
    kept_table,
    killed_of,
    killed_rows,
    last_commit,
    table_text,
)
from kubeproof.report.noticed import FieldRow
from kubeproof.report.tasks import stretches
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from tests.kubeproof.test_cli import Captured, kubeproof

KILLED = {"list_nodes": (Killed("a_rule", ("bound-once",)), Killed("other", (), decided=False)), "none": ()}
ROWS = [FieldRow("Queue.active", ("bound-once",), "", True), FieldRow("Queue.cycle", (), "it counts only", False)]
NOTHING = {"commit": "abc", "day": "2026-11-28", "systems": {}}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the tables are looked for."""
    monkeypatch.setattr(kept_tables, "files", lambda package: tmp_path)
    (tmp_path / FOLDER).mkdir()
    return tmp_path / FOLDER


def test_the_origin_of_a_number_is_said() -> None:
    assert str(NOW) == "computed now"
    assert str(Origin("abc", "2026-11-28")) == "kept, computed at commit abc of 2026-11-28"
    assert str(Origin("abc", "2026-11-28", "it has changed")).endswith("abc of 2026-11-28; it has changed")
    assert str(Origin("abc", "2026-11-28", or_before=True)).endswith("abc of 2026-11-28 or before")


@pytest.mark.parametrize("name", [OTHER_RULES, FIELDS, ENGINES])
def test_what_is_kept_is_read_with_the_commit_that_computed_it(name: str) -> None:
    table = kept_table(name)
    assert table.origin.commit
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table.origin.day)
    assert set(table.systems) <= set(SYSTEMS)
    assert table.systems


def test_a_table_is_read_as_it_was_written(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(kept_tables, "head_commit", lambda: ("abc", "2026-11-28"))
    monkeypatch.setattr(kept_tables, "changed_since", lambda commit: f"since {commit}")
    (folder / f"{OTHER_RULES}.json").write_text(table_text({"scheduling": killed_rows(KILLED)}), "utf-8")
    (folder / f"{FIELDS}.json").write_text(table_text({"scheduling": field_rows(ROWS)}), "utf-8")
    table = kept_table(OTHER_RULES)
    assert table.origin == Origin("abc", "2026-11-28", "since abc")
    assert killed_of(table, "scheduling") == KILLED
    assert killed_of(table, "cpu-manager") == {}
    # Why nobody notices a field is the system's to say.
    reasons = {"Queue.cycle": "it counts only", "Queue.active": "nothing"}
    assert fields_of(kept_table(FIELDS), "scheduling", reasons) == ROWS
    assert fields_of(KeptTable(NOW, {}), "scheduling", reasons) == []


def test_every_older_stretch_has_the_cells_of_the_other_engines() -> None:
    table, names = kept_table(ENGINES), {p.name for p in NODE_LISTING.properties}
    for first, _ in stretches(NODE_LISTING)[:-1]:
        cells = cells_of(table, "node-listing", first)
        for engine in ("hypothesis", "z3", "tlc"):
            assert {cell.property for cell in cells if cell.engine == engine} == names
    assert cells_of(table, "node-listing", stretches(NODE_LISTING)[-1][0]) == []


@pytest.mark.parametrize(
    ("name", "document", "says"),
    [
        (FIELDS, None, "FileNotFoundError"),
        (FIELDS, "{", "JSONDecodeError"),
        (FIELDS, "[" * 100_000, "RecursionError"),
        (FIELDS, [], "expected"),
        (FIELDS, {**NOTHING, "commit": 1}, "commit: expected"),
        (FIELDS, {**NOTHING, "systems": {"scheduling": {"Queue.active": 1}}}, "expected"),
        (FIELDS, {**NOTHING, "systems": {"scheduling": {"Queue.active": {"properties": []}}}}, "varies: missing"),
        (ENGINES, {**NOTHING, "systems": {"node-listing": {"1.13.0 z3": [{"engine": "z3"}]}}}, "missing"),
        (OTHER_RULES, {**NOTHING, "systems": {"scheduling": {"list_nodes": [{"rule": "a"}]}}}, "missing"),
    ],
)
def test_a_damaged_table_is_refused_in_one_line(folder: Path, name: str, document: Any, says: str) -> None:
    if document is not None:
        text = document if isinstance(document, str) else json.dumps(document)
        (folder / f"{name}.json").write_text(text, "utf-8")
    with pytest.raises(InputError) as refused:
        kept_table(name)
    text = str(refused.value)
    assert text.startswith(f"kubeproof/report/{FOLDER}/{name}.json: missing or damaged, ")
    assert text.endswith(": expected a table; `make report-all` writes it")
    assert says in text
    assert "\n" not in text


@pytest.mark.usefixtures("folder")
def test_the_report_refuses_a_missing_table_before_it_computes(capsys: Captured, tmp_path: Path) -> None:
    status, out, err = kubeproof(capsys, "report", "--system", "node-listing", "--out", str(tmp_path / "report"))
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"kubeproof: kubeproof/report/{FOLDER}/{OTHER_RULES}.json: missing or damaged, ")
    assert not (tmp_path / "report").exists()


def test_a_commit_says_how_much_has_changed_since(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"cat-file": "commit", "rev-list": "3"}
    monkeypatch.setattr(kept_tables, "_git", lambda command, *args: said[command])
    assert changed_since("abc") == "3 commits have changed models or properties since"
    said["rev-list"] = "0"
    assert changed_since("abc") == ""
    # A commit that this checkout does not have.
    said["cat-file"] = ""
    assert changed_since("abc") == UNKNOWN


def test_without_a_checkout_nothing_is_known_of_commits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kept_tables, "__file__", str(tmp_path / "kubeproof" / "report" / "kept_tables.py"))
    assert str(last_commit("counterexamples")) == "kept, as this version of kubeproof has it"
    assert changed_since("abc") == UNKNOWN
    with pytest.raises(InputError, match="no git checkout of kubeproof: expected one"):
        head_commit()
    (tmp_path / ".git").mkdir()

    def refuses(*args: object, **options: object) -> object:
        raise subprocess.TimeoutExpired("git", 30)

    monkeypatch.setattr(subprocess, "run", refuses)
    assert changed_since("abc") == UNKNOWN


def test_a_checkout_with_changes_keeps_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"log": "abc 2026-11-28", "status": ""}
    monkeypatch.setattr(kept_tables, "_git", lambda command, *args: said[command])
    assert head_commit() == ("abc", "2026-11-28")
    said["status"] = " M model/releases.py"
    with pytest.raises(InputError, match="the checkout has changes: expected none"):
        head_commit()
