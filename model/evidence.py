"""How well a cell of the release table is known: a field's rule in a release. Computed from what was seen.

A release between two releases that were seen, with the same rule in both, is taken for read: a patch that came and
went in between is not looked for.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cache

from attrs import frozen
from packaging.version import Version

from model.cpu import seen as cpu
from model.releases import OLDEST, ROWS, Release, row_at, row_in, rows_of
from model.rules import Evidence, Moved, Row, Seen
from model.scheduler import seen as scheduler

SEEN: tuple[Seen, ...] = scheduler.SEEN + cpu.SEEN
# Oldest first: a name may change twice.
_MOVED: tuple[tuple[Version, Moved], ...] = tuple(
    sorted(((Version(moved.since), moved) for moved in scheduler.MOVED + cpu.MOVED), key=lambda pair: pair[0])
)
_RANGES: tuple[tuple[Version, Version, Seen], ...] = tuple(
    (Version(seen.first), Version(seen.last), seen) for seen in sorted(SEEN, key=lambda seen: seen.evidence == "read")
)
WEAKEST_FIRST: tuple[Evidence, ...] = ("inferred", "read", "recorded")
_FIELDS = frozenset(row.field for row in ROWS)
# The oldest modelled release. A field that begins here began at an older release, which nobody looked for.
FIRST = f"1.{OLDEST}.0"
# Fields whose rules recordings cannot tell from others.
NOT_TOLD = scheduler.NOT_TOLD | cpu.NOT_TOLD


@frozen
class Cell:
    """A field's rule in a release, and how it is known."""

    # The row that holds.
    row: Row
    # `FILE FUNCTION[, FUNCTION]` in the Go sources of this release.
    place: str
    evidence: Evidence
    # Where it was seen, or its neighbours were: repository and ref. Empty for what is inferred.
    where: tuple[str, ...]


@cache
def place_of(row: Row, version: Version) -> str:
    """Where the rule of `row` stands in the Go sources of release `version`, in which the row holds."""
    first, *moved = _places(row)
    return next((place for since, place in reversed(moved) if since <= version), first[1])


@cache
def _places(row: Row) -> tuple[tuple[Version, str], ...]:
    """Where the rule of `row` stands, each place with the release in which it began; oldest first."""
    begins = Version(row.since)
    file, _, names = row.source.partition(" ")
    functions = names.split(", ") if names else []
    places = [(begins, f"{file} {names}".strip())]
    for since, moved in _MOVED:
        old_file, _, old_name = moved.old.partition(" ")
        if since <= begins or old_file != file or (old_name and old_name not in functions):
            continue
        file, _, name = moved.new.partition(" ")
        functions = [name if old_name and function == old_name else function for function in functions]
        places.append((since, f"{file} {', '.join(functions)}".strip()))
    return tuple(places)


@cache
def _points() -> tuple[Version, ...]:
    """The releases at which something was seen, oldest first."""
    return tuple(sorted({end for first, last, _ in _RANGES for end in (first, last)}))


@cache
def _seen_at(version: Version) -> tuple[Seen, ...]:
    """What was seen of this very release, recordings first."""
    return tuple(seen for first, last, seen in _RANGES if first <= version <= last)


def _covers(path: str, file: str) -> bool:
    return file.startswith(path) if path.endswith("/") else file == path


@cache
def _seen_of(field: str, version: Version) -> Seen | None:
    """The best that was seen of the field's rule in this very release: nothing, if the release is too old for one."""
    row = row_at(field, version)
    if version < Version(row.since) and row.since != FIRST:
        return None
    file = place_of(row, version).partition(" ")[0]
    for seen in _seen_at(version):
        told = field in seen.fields if seen.fields else seen.evidence == "read" or field not in NOT_TOLD
        if told and _covers(seen.path, file):
            return seen
    return None


@frozen
class _Neighbour:
    version: Version
    where: str


def _nearest(field: str, versions: Iterable[Version]) -> _Neighbour | None:
    for version in versions:
        seen = _seen_of(field, version)
        if seen is not None:
            return _Neighbour(version, seen.where)
    return None


@cache
def _upstream_cell(field: str, version: Version) -> Cell:
    row = row_at(field, version)
    place = place_of(row, version)
    seen = _seen_of(field, version)
    if seen is not None:
        return Cell(row, place, seen.evidence, (seen.where,))
    points = _points()
    before = _nearest(field, reversed(points[: bisect_left(points, version)]))
    after = _nearest(field, points[bisect_right(points, version) :])
    if before and after:
        rules = {each.rule for since, each in rows_of(field) if before.version < since <= after.version}
        if rules | {row_at(field, before.version).rule} == {row.rule}:
            return Cell(row, place, "read", (before.where, after.where))
    return Cell(row, place, "inferred", ())


@cache
def files_in(version: Version) -> frozenset[str]:
    """The paths of the Go files in which the rules of release `version` stand, and of those that were seen of it."""
    of_rules = (place_of(row_at(field, version), version).partition(" ")[0] for field in _FIELDS)
    of_seen = (seen.path for seen in _seen_at(version))
    return frozenset(path for path in (*of_rules, *of_seen) if path.endswith(".go"))


def cell(field: str, release: Release) -> Cell:
    """The field's cell in `release`. A vendor's back-port is inferred: nobody's sources of it were at hand.

    So is the cell of a release before the field's first row, unless the field is as old as the models.

    Raises KeyError for a field that no row has.
    """
    upstream = _upstream_cell(field, release.version)
    row = row_in(field, release)
    if row.rule is upstream.row.rule:
        return upstream
    return Cell(row, place_of(row, release.version), "inferred", ())


def evidence_in(fields: Iterable[str], release: Release) -> Evidence:
    """The weakest evidence for these fields in `release`.

    Names that no row has do not count, and neither do fields whose first row the release is too old for.
    """
    known = {field for field in _FIELDS & set(fields) if rows_of(field)[0][0] <= release.version}
    kinds = {cell(field, release).evidence for field in known}
    return next((kind for kind in WEAKEST_FIRST if kind in kinds), "recorded")
