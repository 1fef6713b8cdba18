"""The computed release table of a bug as a file: releases.json stands beside the page and says the same.

Programs read this file; nothing is read out of a page.
"""

import json
from importlib.resources import files
from typing import Any

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug, Demonstrator, Under
from kubeproof.bugs.counterexample import ReleaseRow, evidence_of, joined_evidence, release_ranges
from kubeproof.bugs.kept import kept_releases
from kubeproof.input.documents import json_value
from kubeproof.systems.registry import system_named
from model.releases import ROWS


def releases_text(bug_id: str, rows: list[dict[str, Any]]) -> str:
    """The content of releases.json: a row on a line, so that a change of one release is a change of one line."""
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{{"bug": {json.dumps(bug_id)}, "rows": [\n{lines}\n]}}\n'


def run_rows(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a bug that a run shows, from the table of its page.

    `shown`: the release has this bug. `violated`: the property fails, perhaps by another bug. `without`: powers that
    the violation does not take, so that it is another bug's. `length`: actions of the shortest run, or null. `back`:
    after how many repetitions of the last action all is well; null where that never happens or nobody asks. `passes`:
    the violation passes and this bug's does not. `evidence`: for the rules of these releases, of each kind.
    """
    return [
        {
            "first": entry["first"],
            "last": entry["last"],
            "shown": entry["row"].shows_bug,
            "violated": entry["row"].violated,
            "without": list(entry["row"].without),
            "length": entry["row"].length,
            "back": entry["row"].back_after,
            "passes": entry["row"].passes,
            "evidence": entry["evidence"].split(", "),
        }
        for entry in table
    ]


def release_table_of(code: Demonstrator) -> list[dict[str, Any]]:
    """What each release shows, releases in a row that show the same as one; then the variants.

    The releases are told apart by every rule of the project, `evidence` goes by those that were looked up.
    """
    table: list[dict[str, Any]] = []
    for first, last in release_ranges({row.field for row in ROWS}, code.minors):
        under = Under(first)
        shown = list(code.ask(under).shown)
        evidence = evidence_of(under.looked_up, first, last)
        if table and table[-1]["shown"] == shown:
            table[-1]["last"] = str(last)
            table[-1]["evidence"] = joined_evidence(table[-1]["evidence"], evidence)
        else:
            table.append({"first": str(first), "last": str(last), "shown": shown, "evidence": evidence})
    rows = [{**row, "releases": f"{row['first']} to {row['last']}"} for row in table]
    for each in code.variants:
        shown = list(code.vary(each).shown)
        rows.append({"first": None, "releases": each.name, "shown": shown, "evidence": "no release"})
    return rows


def component_rows(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a bug that components show: `what` is wrong, a few words each. Variants are no releases."""
    return [
        {
            "first": row["first"],
            "last": row["last"],
            "shown": bool(row["shown"]),
            "what": row["shown"],
            "evidence": row["evidence"].split(", "),
        }
        for row in table
        if row["first"] is not None
    ]


def kept_rows(bug: Bug | ComponentBug) -> list[dict[str, Any]]:
    """The table of the bug's page, read from releases.json: `has` says whether these releases have the bug.

    `shown`, `length`, `back` and `evidence` are texts. Raises InputError if the file is missing or damaged.
    """
    kept_releases(bug)  # refuses what is damaged
    document = json_value((files("counterexamples") / bug.folder / "releases.json").read_text(encoding="utf-8"))
    rows = []
    for each in document["rows"]:
        entry = {"first": each["first"], "last": each["last"], "has": each["shown"], "length": "", "back": ""}
        entry["evidence"] = ", ".join(each["evidence"])
        if isinstance(bug, Bug):
            row = ReleaseRow(
                "", each["first"], each["last"], each["violated"], "", each["length"], each["back"],
                tuple(each["without"]), each["passes"],
            )  # fmt: skip
            entry |= {"shown": shown_text(row).strip("*"), "length": row.length or "", "back": back_text(bug, row)}
        else:
            entry["shown"] = "; ".join(each["what"]) or "no"
        rows.append(entry)
    return rows


def shown_text(row: ReleaseRow) -> str:
    """Whether a release shows the bug, or why the violation there is another one."""
    if not row.violated:
        return "no"
    if row.without:
        return f"another bug, which takes no {' and no '.join(row.without)}"
    if row.passes:
        return "another bug, which passes"
    return "**yes**"


def back_text(bug: Bug, row: ReleaseRow) -> str:
    """When what is broken is whole again if the last action is repeated; empty where nothing is, or nobody asks."""
    if not (row.violated and bug.recovers):
        return ""
    return system_named(bug.system).describe_back(row.back_after)
