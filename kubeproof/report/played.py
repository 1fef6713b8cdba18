"""What was played on the real Go code, of all bugs: a line for each, and the table bug by release."""

from collections.abc import Sequence

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.played import played_of
from kubeproof.bugs.runs import KeptRun
from kubeproof.go.generated import why_not_played
from model.releases import known_release


@frozen
class PlayedTable:
    """Releases whose code was played, the newest first, and (bug, what was seen by release, or why nothing was)."""

    releases: tuple[str, ...]
    rows: tuple[tuple[Bug, tuple[str, ...]], ...]
    # The bugs whose runs were played nowhere, and why.
    never: tuple[tuple[Bug, str], ...]


def played_line(bug: Bug | ComponentBug) -> str:
    """What is known of the bug on the real code, in one line.

    Releases that showed the same stand together.
    """
    rows = played_of(bug)
    if not rows:
        return not_played(bug)
    by_told: dict[str, list[str]] = {}
    for row in rows:
        by_told.setdefault(row.told, []).append(row.release)
    return "played on the real Go code of " + "; ".join(f"{', '.join(of)}: {told}" for told, of in by_told.items())


def not_played(bug: Bug | ComponentBug, run: KeptRun | None = None) -> str:
    """The line of a bug of which nothing was played. `run`: its run, if that is not kept yet."""
    why = why_not_played(bug, run=run)
    return f"not played on real Go code: {why or 'nobody has run its Go test'}"


def played_table(bugs: Sequence[Bug] = BUGS) -> PlayedTable:
    """Of `bugs` of systems: all have a kept run."""
    found: dict[str, dict[str, str]] = {bug.id: {} for bug in bugs}
    for bug in bugs:
        for row in played_of(bug):
            told = found[bug.id].get(row.release)
            found[bug.id][row.release] = f"{told}; {row.told}" if told else row.told
    releases = sorted({of for seen in found.values() for of in seen}, key=lambda of: known_release(of).version)[::-1]
    rows = [(bug, tuple(found[bug.id].get(of) or _empty(bug, of) for of in releases)) for bug in bugs if found[bug.id]]
    never = [(bug, played_line(bug)) for bug in bugs if not found[bug.id]]
    return PlayedTable(tuple(releases), tuple(rows), tuple(never))


def _empty(bug: Bug, release: str) -> str:
    why = why_not_played(bug, known_release(release))
    return f"cannot be played: {why}" if why else "not played"
