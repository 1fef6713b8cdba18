"""The two facts that a reader wants of a bug first: whether it is reported upstream, and seen on the real code.

Both are computed from what is kept: the head of the bug's text, and played.json beside its page.
"""

from collections.abc import Sequence

from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.links import number_of
from kubeproof.bugs.load import AnyBug
from kubeproof.bugs.played import PlayedOn, played_of


def known_upstream(bug: AnyBug) -> bool:
    """Whether upstream has an issue or a pull request of the bug."""
    return bool(bug.issues or bug.fixes)


def reported(bug: AnyBug) -> str:
    """Where the bug is reported: "issue #1, #2; pull request #3", or "nothing found on 2026-11-22"."""
    if not known_upstream(bug):
        return f"nothing found on {bug.searched}"
    kinds = (("issue", bug.issues), ("pull request", bug.fixes))
    return "; ".join(f"{kind} {', '.join(map(number_of, links))}" for kind, links in kinds if links)


def seen_on(bug: Bug | ComponentBug, played: Sequence[PlayedOn] | None = None) -> tuple[str, ...]:
    """The releases on whose real code the bug was seen. `played`: what was played, default what is kept of the bug."""
    rows = played_of(bug) if played is None else played
    return tuple(dict.fromkeys(row.release for row in rows if row.same and row.violated))


def facts_line(bug: AnyBug, played: Sequence[PlayedOn] | None = None) -> str:
    """Both facts in a line."""
    seen = () if isinstance(bug, UnshownBug) else seen_on(bug, played)
    real = f"seen on the real code of {', '.join(seen)}" if seen else "not seen on the real code"
    return f"Reported upstream: {reported(bug)}; {real}."
