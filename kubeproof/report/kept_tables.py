"""The tables that take minutes to compute: kept under tables/, with the commit that computed them, and shown as kept.

Which properties other rules break, which properties notice a wrong value in a field, and what Hypothesis, Z3 and TLC
say of releases that are not the newest. `make report-all` computes them anew and writes the files.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, TypedDict

import cattrs
from attrs import asdict, frozen

from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from kubeproof.input.structure import misfit
from kubeproof.report.coverage import Killed
from kubeproof.report.noticed import FieldRow
from kubeproof.report.tasks import Cell, Checked

FOLDER = "tables"
OTHER_RULES, FIELDS, ENGINES = "other-rules", "fields", "engines"


@frozen
class Origin:
    """Where a number comes from: computed now, or kept."""

    # The commit that computed it; "" if that was just now, or if this is no checkout.
    commit: str = ""
    # The day of that commit.
    day: str = ""
    # Whether what the number depends on has changed since: "" for no, else in words.
    changed: str = ""
    # Whether it was computed for this page.
    now: bool = False
    # Whether the commit is the last one that wrote it down: it may only have changed the form.
    or_before: bool = False

    def __str__(self) -> str:
        if self.now:
            return "computed now"
        if not self.commit:
            return "kept, as this version of kubeproof has it"
        before = " or before" if self.or_before else ""
        changed = f"; {self.changed}" if self.changed else ""
        return f"kept, computed at commit {self.commit} of {self.day}{before}{changed}"


NOW = Origin(now=True)


class _Table(TypedDict):
    """The form of a kept table."""

    commit: str
    day: str
    systems: dict[str, Any]


class _Killed(TypedDict):
    rule: str
    properties: list[str]
    fits: bool
    decided: bool


class _Field(TypedDict):
    properties: list[str]
    varies: bool


# The form of `systems`, by the name of the table.
_FORMS: Mapping[str, Any] = {
    OTHER_RULES: dict[str, dict[str, list[_Killed]]],
    FIELDS: dict[str, dict[str, _Field]],
    ENGINES: dict[str, dict[str, list[Cell]]],
}


@frozen
class KeptTable:
    """A table that was read."""

    origin: Origin
    # By system.
    systems: Mapping[str, Any]


def kept_table(name: str) -> KeptTable:
    """The table of this name. Raises InputError if it is missing or damaged."""
    place = f"kubeproof/report/{FOLDER}/{name}.json"
    try:
        document = json_value((files("kubeproof.report") / FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        wrong = misfit(document, _Table) or misfit(document["systems"], _FORMS[name])
        if wrong is None:
            commit = document["commit"]
            return KeptTable(Origin(commit, document["day"], changed_since(commit)), document["systems"])
    except (OSError, ValueError, RecursionError) as error:
        wrong = type(error).__name__
    raise InputError(f"{place}: missing or damaged, {wrong}: expected a table; `make report-all` writes it")


def table_text(systems: Mapping[str, Any]) -> str:
    """The content of a table that was computed at the commit of the checkout: what belongs to one name on a line."""
    commit, day = head_commit()
    lines = []
    for system, rows in systems.items():
        inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        lines.append(f" {json.dumps(system)}: {{\n{inner}\n }}")
    head = f'"commit": {json.dumps(commit)},\n "day": {json.dumps(day)}'
    return f'{{{head},\n "systems": {{\n' + ",\n".join(lines) + "\n}}\n"


def killed_rows(killed: Mapping[str, Sequence[Killed]]) -> dict[str, Any]:
    """What other rules break, by rule field, as data."""
    return {field: [asdict(each) for each in of_field] for field, of_field in killed.items()}


def killed_of(table: KeptTable, system: str) -> dict[str, tuple[Killed, ...]]:
    """The same back from a table."""
    rows = table.systems.get(system, {})
    return {field: tuple(cattrs.structure(each, Killed) for each in of_field) for field, of_field in rows.items()}


def field_rows(rows: Sequence[FieldRow]) -> dict[str, Any]:
    """Who notices a wrong value, by field, as data. The reasons are those of the system, and are not kept."""
    return {row.field: {"properties": list(row.properties), "varies": row.varies} for row in rows}


def fields_of(table: KeptTable, system: str, reasons: Mapping[str, str]) -> list[FieldRow]:
    """The same back from a table. `reasons`: why no property has to notice a wrong value, by field."""
    return [
        FieldRow(name, tuple(row["properties"]), "" if row["properties"] else reasons.get(name, ""), row["varies"])
        for name, row in table.systems.get(system, {}).items()
    ]


def cells_data(checked: Checked) -> list[dict[str, Any]]:
    """The cells of one engine in one stretch, as data."""
    return [asdict(cell) for cell in checked.cells]


def cells_of(table: KeptTable, system: str, first: str) -> list[Cell]:
    """The cells of all engines that a table has of the stretch that begins with `first`."""
    rows = table.systems.get(system, {})
    mine = (cells for name, cells in rows.items() if name.partition(" ")[0] == first)
    return [cattrs.structure(cell, Cell) for cells in mine for cell in cells]


def head_commit() -> tuple[str, str]:
    """The commit of the checkout and its day. Raises InputError outside a checkout: a kept table names a commit."""
    said = _git("log", "-1", "--format=%h %cs")
    if not said:
        raise InputError("no git checkout of kubeproof: expected one, since a kept table names the commit of its rules")
    if _git("status", "--porcelain", "--", *_SOURCES, "kubeproof", f":!kubeproof/report/{FOLDER}"):
        raise InputError("the checkout has changes: expected none, since a kept table names the commit of its rules")
    commit, _, day = said.partition(" ")
    return commit, day


def last_commit(*paths: str) -> Origin:
    """The commit that last changed what is kept in `paths` of the checkout; outside a checkout the version."""
    said = _git("log", "-1", "--format=%h %cs", "--", *paths)
    commit, _, day = said.partition(" ")
    return Origin(commit, day, or_before=True) if said else Origin()


UNKNOWN = "whether models have changed since is not known here"
# What tables depend on.
_SOURCES = ("model", "properties")


def changed_since(commit: str) -> str:
    """Whether models or properties have changed since `commit`, in words; "" if not."""
    if not _git("cat-file", "-t", commit):
        return UNKNOWN
    count = _git("rev-list", "--count", f"{commit}..HEAD", "--", *_SOURCES)
    if count == "0":
        return ""
    return f"{'1 commit has' if count == '1' else f'{count} commits have'} changed models or properties since"


def _git(*args: str) -> str:
    """What git says of the checkout that this package is in; "" without a checkout or without git."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():
        return ""
    try:
        done = subprocess.run(["git", "-C", str(here), *args], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
