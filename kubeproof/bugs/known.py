"""Which documented bugs of a release explain a violation: a page says so, and the run takes the bug's powers."""

from functools import cache

from packaging.version import Version

from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.kept import kept_releases
from kubeproof.systems.system import System
from kubeproof.verdict.result import Result
from model.releases import Release, parse_release


def known_bugs(system: System, release: Release, violated: Result) -> list[Bug]:
    """The documented bugs of `release` that explain the violation that a result of `system` shows.

    The page of such a bug shows that it violates the property. The bug is in this release, and the run of `violated`
    takes every power of the bug. A bug is left out if another one takes the same powers and more. Raises InputError if
    a kept list of releases is damaged.
    """
    if violated.trace is None:
        return []
    taken = system.powers_used(violated.scope, violated.trace.actions)
    mine = [
        bug
        for bug in BUGS
        if bug.system == system.name
        and violated.property in {*bug.properties, *(asked.violates for asked in bug.questions)}
        and set(bug.powers) <= taken
        and shown_in(bug, release)
    ]
    return [bug for bug in mine if not any(set(bug.powers) < set(other.powers) for other in mine)]


def shown_in(bug: Bug, release: Release) -> bool:
    """Whether the kept list of releases of `bug` says that `release` has it; of a vendor's, its upstream release."""
    return any(first <= release.version <= last for first, last in _shown(bug.id))


@cache
def _shown(name: str) -> tuple[tuple[Version, Version], ...]:
    (bug,) = (bug for bug in BUGS if bug.id == name)
    rows = [row for row in kept_releases(bug) if row.shown]
    return tuple((parse_release(row.first).version, parse_release(row.last).version) for row in rows)
