"""The computed release table of a bug as a file: releases.json stands beside the page and says the same.

Programs read this file; nothing is read out of a page.
"""

import json
from typing import Any

from kubeproof.bugs.component import ComponentBug, Demonstrator
from kubeproof.bugs.counterexample import evidence_of, joined_evidence, release_ranges
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


def release_table_of(bug: ComponentBug | Demonstrator) -> list[dict[str, Any]]:
    """What each release shows, releases in a row that show the same as one; then the variants.

    The releases are told apart by every rule of the project, `evidence` goes by those that `bug` names.
    """
    table: list[dict[str, Any]] = []
    for first, last in release_ranges({row.field for row in ROWS}, bug.minors):
        shown = list(bug.demonstrate(first).shown)
        evidence = evidence_of(bug.rules, first, last)
        if table and table[-1]["shown"] == shown:
            table[-1]["last"] = str(last)
            table[-1]["evidence"] = joined_evidence(table[-1]["evidence"], evidence)
        else:
            table.append({"first": str(first), "last": str(last), "shown": shown, "evidence": evidence})
    rows = [{**row, "releases": f"{row['first']} to {row['last']}"} for row in table]
    for name, demonstrate in bug.variants:
        rows.append({"first": None, "releases": name, "shown": list(demonstrate().shown), "evidence": "no release"})
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
