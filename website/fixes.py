"""The fixes in examples/fixes of each bug, with the verdicts that docs/fixes.md keeps."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import frozen

from kubeproof.bugs.load import AnyBug

_ID = re.compile(r"\b[A-Z]+(?:-[A-Z0-9]+)+\b")
_RELEASE = re.compile(r"\b1\.\d+\.\d+\b")
_FILE = re.compile(r"`(\w+\.py)`")


@frozen
class Judged:
    """A row of a table of docs/fixes.md. Markdown, as it is written."""

    fix: str
    release: str
    verdict: str
    # What the other columns say, each with its head: what is cured, what stays and what is new.
    more: tuple[tuple[str, str], ...]
    # What the row and the CURES of its file name: ids of bugs, and numbers of changes.
    names: frozenset[str]


def judged(root: Path, bug: AnyBug) -> list[Judged]:
    """The fixes that were judged and that name the bug, or a change that cured it."""
    wanted = {bug.id, *(f"#{link.rpartition('/')[2]}" for link in bug.fixes)}
    return [each for each in all_judged(root) if wanted & each.names]


@cache
def all_judged(root: Path) -> tuple[Judged, ...]:
    """Each row of a table of docs/fixes.md that has a verdict. The release is in the row, or in the text above."""
    return tuple(_rows(root, (root / "docs" / "fixes.md").read_text(encoding="utf-8")))


def _rows(root: Path, text: str) -> Iterator[Judged]:
    above = before = ""
    head: list[str] = []
    for line in text.split("\n"):
        if not line.startswith("|"):
            # The paragraph above, which an empty line ends.
            above = line if line and not before else f"{above} {line}"
            before, head = line, []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not head:
            head = cells
        elif {"fix", "verdict"} <= set(head) and not set(line) <= set("|-"):
            yield _row(root, dict(zip(head, cells, strict=True)), above)


def _row(root: Path, row: dict[str, str], above: str) -> Judged:
    release = row.get("release") or (_RELEASE.findall(above) or [""])[-1]
    file = _FILE.search(row["fix"])
    cured = row.get("what is cured", "")
    names = {*_ID.findall(cured), *re.findall(r"#\d+", row["fix"])} | (_cures(root, file[1]) if file else set())
    more = [(name, text) for name, text in row.items() if name not in ("fix", "release", "verdict", "system") and text]
    return Judged(row["fix"], release, row["verdict"], tuple(more), frozenset(names))


def _cures(root: Path, name: str) -> set[str]:
    """The bugs that the fix of this file claims to cure."""
    tree = ast.parse((root / "examples" / "fixes" / name).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CURES":
            found = ast.literal_eval(node.value)
            return {found} if isinstance(found, str) else set(found)
    return set()
