"""The first line of a bug: which releases have it, where it is cured, and what helps until then."""

from collections.abc import Iterable, Iterator, Sequence

from kubeproof.bugs.bug import UnshownBug
from kubeproof.bugs.kept import KeptRow, kept_releases, row_of
from kubeproof.bugs.load import AnyBug
from kubeproof.report.bug_list import release_after, spans_of, spans_text
from model.releases import LAST_PATCH, known_release

_NEWEST = f"1.{max(LAST_PATCH)}.{LAST_PATCH[max(LAST_PATCH)]}"


def first_line(bug: AnyBug) -> str:
    """Such as "1.13.0 to 1.18.6; cured in 1.18.7; until then: Restart the scheduler." """
    if isinstance(bug, UnshownBug):
        return f"nothing here shows the bug; what helps: {bug.mitigation}"
    rows = kept_releases(bug)
    spans = spans_of(bug, rows)
    cured = list(_cured(rows, spans))
    if spans[-1][1] == rows[-1].last:
        asked = rows[-1].last == _NEWEST
        end = f"not cured up to {_NEWEST}; what helps" if asked else "later releases were not asked; what helps"
    elif cured:
        end = f"cured in {', '.join(cured)}; until then"
    else:
        end = "what helps"
    return f"{spans_text(spans)}; {end}: {bug.mitigation}"


def _cured(rows: Sequence[KeptRow], spans: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The releases that follow on a stretch with the bug, and in which nothing violates the property."""
    for after in (release_after(last) for _, last in spans if last != _NEWEST):
        row = row_of(rows, known_release(after))
        if row is not None and not row.violated:
            yield after
