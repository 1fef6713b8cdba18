"""What is known of a bug: the catalogue's entry, the releases as computed, the trace; else what is documented.

The releases are those of the table on the bug's page under counterexamples/, which is generated. Nothing here names a
bug: once the catalogue has one, and its page is there, both are taken from them.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Literal

from attrs import evolve, frozen
from packaging.version import Version

from kubeproof.advise.pod_events.documented import DOCUMENTED
from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import any_bug_named
from kubeproof.bugs.component import ComponentBug
from kubeproof.errors import InputError
from model.releases import NEWEST_PATCH, Release, parse_release

_ROW = re.compile(r"\| (?P<first>1\.\d+\.\d+) to (?P<last>1\.\d+\.\d+) \| (?P<shown>[^|]*)\|(?:.*\|)? (?P<by>[^|]*) \|")


@frozen
class Range:
    """Releases from `first` to `last`, both among them."""

    first: str
    last: str

    def has(self, release: Release) -> bool:
        return Version(self.first) <= release.version <= Version(self.last)

    def __str__(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


@frozen
class Row:
    """A row of the table on a bug's page. `evidence`: how well the rules of these releases are known."""

    releases: Range
    shows_bug: bool
    evidence: str


@frozen
class KnownBug:
    """A bug. `affected_by`: whether its releases were computed by the model or are those of upstream's reports.

    `page`: where the trace and the whole story is, or None where none is kept. `traced`: there is a trace, which
    `kubeproof reproduce` replays; else the components show it. `until_then`: what helps before an upgrade.
    """

    id: str
    title: str
    affected: tuple[Range, ...]
    affected_by: Literal["computed", "documented", "unknown"]
    evidence: str
    page: str | None
    traced: bool
    until_then: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    note: str

    def affects(self, release: Release) -> bool:
        return any(each.has(release) for each in self.affected)

    def cured_in(self, release: Release | None) -> str | None:
        """The first later release without it; without a `release`: later than all that have it. None: there is none."""
        if not self.affected:
            return None
        last = max(Version(each.last) for each in self.affected) if release is None else release.version
        for candidate in _releases():
            if candidate.version > last and not self.affects(candidate):
                return str(candidate)
        return None

    def up_to(self, last: str | None) -> "KnownBug":
        """The same with the releases after `last` left out: there it looks otherwise."""
        if last is None:
            return self
        kept = [each for each in self.affected if Version(each.first) <= Version(last)]
        cut = (evolve(each, last=min(each.last, last, key=Version)) for each in kept)
        return evolve(self, affected=tuple(cut))


def known_bug(id: str) -> KnownBug:
    """What is known of the bug: never an error, at worst next to nothing."""
    documented = DOCUMENTED.get(id)
    ranges = () if documented is None else tuple(Range(*each) for each in documented.affected)
    found = KnownBug(
        id=id,
        title=id if documented is None else documented.title,
        affected=ranges,
        affected_by="unknown" if documented is None else "documented",
        evidence="",
        page=None,
        traced=False,
        until_then="" if documented is None else documented.until_then,
        issues=() if documented is None else documented.issues,
        fixes=() if documented is None else documented.fixes,
        note="" if documented is None else documented.note,
    )
    bug = _in_catalogue(id)
    if bug is None:
        return found
    found = evolve(
        found,
        title=bug.title,
        until_then=bug.mitigation,
        issues=bug.issues or found.issues,
        fixes=bug.fixes or found.fixes,
    )
    rows = kept_rows(bug.folder)
    if not rows:
        return found
    shown = [row for row in rows if row.shows_bug]
    evidence = dict.fromkeys(kind for row in shown for kind in row.evidence.split(", "))
    return evolve(
        found,
        affected=tuple(_merged(rows)),
        affected_by="computed",
        evidence=", ".join(evidence),
        page=f"counterexamples/{bug.folder}/README.md",
        traced=isinstance(bug, Bug),
        note="",
    )


def kept_rows(folder: str) -> tuple[Row, ...]:
    """The table of releases on the page that is kept of a bug, or nothing where there is no such page."""
    try:
        text = (files("counterexamples") / folder / "README.md").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ()
    table = text.partition("\n## Which releases\n")[2].partition("\n## ")[0]
    rows = (_ROW.fullmatch(line) for line in table.split("\n"))
    return tuple(Row(Range(row["first"], row["last"]), "**yes**" in row["shown"], row["by"]) for row in rows if row)


def _merged(rows: tuple[Row, ...]) -> Iterator[Range]:
    """The releases that show it, rows in a row as one range."""
    first = last = ""
    for row in rows:
        if row.shows_bug:
            first, last = first or row.releases.first, row.releases.last
        elif first:
            yield Range(first, last)
            first = ""
    if first:
        yield Range(first, last)


def _in_catalogue(id: str) -> Bug | ComponentBug | None:
    try:
        return any_bug_named(id)
    except InputError:
        return None


def _releases() -> Iterator[Release]:
    """Every patch release that is modelled, oldest first."""
    for minor, newest in NEWEST_PATCH.items():
        for patch in range(newest + 1):
            yield parse_release(f"1.{minor}.{patch}")
