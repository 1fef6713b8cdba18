"""What is known of a bug that a finding fits: its text, the releases as computed, the trace.

Nothing here names a bug. The releases are those of releases.json beside the bug's page under counterexamples/.
"""

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen
from packaging.version import Version

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import any_bug_named
from kubeproof.bugs.kept import KeptRow, kept_releases
from model.releases import LAST_PATCH, Release, known_release


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
class KnownBug:
    """A bug, and the releases that have it."""

    id: str
    title: str
    # Computed by the model.
    affected: tuple[Range, ...]
    # How well the rules of these releases are known: recorded, read, inferred.
    evidence: str
    # Where the trace and the whole story is.
    page: str
    # There is a trace, which `kubeproof reproduce` replays; else the components show the bug.
    traced: bool
    # What helps before an upgrade.
    until_then: str
    # Addresses of upstream's issues and changes.
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    # The last release of which the model was asked.
    asked_to: str

    def asked(self, release: Release) -> bool:
        """Whether the model was asked of the release, or of a later one."""
        return release.version <= Version(self.asked_to)

    def in_release(self, release: Release) -> bool | None:
        """Whether the release has it. Of a later one than those asked: not if it is gone by then, else None."""
        if self.asked(release):
            return self.affects(release)
        return None if self.affects(known_release(self.asked_to)) else False

    def affects(self, release: Release) -> bool:
        return any(each.has(release) for each in self.affected)

    def cured_in(self, release: Release | None) -> str | None:
        """The first later release without it; without a `release`: later than all that have it. None: there is none."""
        if not self.affected:
            return None
        last = max(Version(each.last) for each in self.affected) if release is None else release.version
        if release is not None and not self.asked(release):
            return None
        for candidate in filter(self.asked, _releases()):
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
    """What is known of the bug. Raises InputError for a bug that is not in bugs/, or whose releases are not kept."""
    bug = any_bug_named(id)
    rows = kept_releases(bug)
    return KnownBug(
        id=bug.id,
        title=bug.title,
        affected=tuple(merged(rows)),
        evidence=", ".join(dict.fromkeys(kind for row in rows if row.shown for kind in row.evidence)),
        page=f"counterexamples/{bug.folder}/README.md",
        traced=isinstance(bug, Bug),
        until_then=bug.mitigation,
        issues=bug.issues,
        fixes=bug.fixes,
        asked_to=rows[-1].last,
    )


def merged(rows: Sequence[KeptRow]) -> Iterator[Range]:
    """The releases that show it, rows in a row as one range."""
    first = last = ""
    for row in rows:
        if row.shown:
            first, last = first or row.first, row.last
        elif first:
            yield Range(first, last)
            first = ""
    if first:
        yield Range(first, last)


def _releases() -> Iterator[Release]:
    """Every patch release that some model knows, oldest first."""
    for minor, newest in LAST_PATCH.items():
        for patch in range(newest + 1):
            yield known_release(f"1.{minor}.{patch}")
