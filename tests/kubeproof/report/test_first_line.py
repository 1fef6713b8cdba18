"""The first line of a bug, against what is kept of its releases."""

import pytest

from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS, documented_bug
from kubeproof.bugs.kept import kept_releases, row_of
from kubeproof.report.first_line import first_line
from model.releases import known_release


@pytest.mark.parametrize(
    ("bug", "line"),
    [
        ("NODETREE-CURSOR", "1.13.0 to 1.18.6; cured in 1.18.7; until then: Restart the scheduler."),
        ("CPU-STALE-LAST-UPDATE", "1.22.0 to 1.36.3; not cured up to 1.36.3; what helps: "),
        ("CACHE-GEN-COLLISION", "nothing here shows the bug; what helps: Upgrade to 1.11 or later."),
    ],
)
def test_the_first_line(bug: str, line: str) -> None:
    assert first_line(documented_bug(bug)).startswith(line)


def test_each_bug_has_one() -> None:
    for bug in (*EVERY_BUG, *UNSHOWN_BUGS):
        assert first_line(bug).endswith(bug.mitigation)


def test_no_release_is_called_cured_that_has_the_bug() -> None:
    found = 0
    for bug in EVERY_BUG:
        cured = first_line(bug).partition("cured in ")[2].partition("; until then")[0]
        for release in (known_release(each) for each in cured.split(", ") if "until then" in first_line(bug)):
            row = row_of(kept_releases(bug), release)
            assert row is not None
            assert (row.shown, row.violated) == (False, False), (bug.id, release)
            found += 1
    assert found > 60
