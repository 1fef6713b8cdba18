"""What `--release 1.18` stands for, and which patch releases of the minor are not asked about then."""

import re
from collections.abc import Collection, Iterable

from packaging.version import Version

from model.releases import LAST_PATCH, Release, release_rows, row_at

_MINOR = re.compile(r"v?1\.\d+", re.ASCII)


def names_a_minor(release: Release) -> bool:
    """Whether the release was named without a patch number, and is no newer one than the models know."""
    return _MINOR.fullmatch(release.text) is not None and not release.newer


def minor_note(release: Release, rule_fields: Collection[str]) -> tuple[str, ...]:
    """If a minor was named: the patch release that is judged, and those that differ in a rule of `rule_fields`."""
    if not names_a_minor(release):
        return ()
    rows = {field: row for field, row in release_rows(release).items() if field in rule_fields}

    def differs(patch: int) -> bool:
        version = Version(f"1.{release.minor}.{patch}")
        return any(row_at(field, version).rule is not row.rule for field, row in rows.items())

    other = [patch for patch in range(LAST_PATCH[release.minor]) if differs(patch)]
    besides = f"; {patches_text(release.minor, other)} differ in rules that are asked here" if other else ""
    return (f"{release.text} is taken as {release}, its last patch release that is modelled{besides}",)


def patches_text(minor: int, patches: Iterable[int]) -> str:
    """
    >>> patches_text(18, [0, 1, 2, 5])
    '1.18.0 to 1.18.2, 1.18.5'
    """
    spans: list[list[int]] = []
    for patch in patches:
        if spans and patch == spans[-1][1] + 1:
            spans[-1][1] = patch
        else:
            spans.append([patch, patch])
    return ", ".join(f"1.{minor}.{a}" if a == b else f"1.{minor}.{a} to 1.{minor}.{b}" for a, b in spans)
