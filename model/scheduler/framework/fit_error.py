"""The text of a failure: how many nodes gave which reason.

Go: `FitError.Error` in pkg/scheduler/framework/types.go.
"""

from collections.abc import Iterable

from model.scheduler.framework.status import Status


def ends_with_a_dot(message: str) -> str:
    """To 1.28: what PostFilter says."""
    return f" {message}."


def as_it_is(message: str) -> str:
    """1.29 on."""
    return f" {message}"


def fit_error(nodes: int, statuses: Iterable[Status], pre_filter: str = "", post_filter: str = "") -> str:
    """`nodes`: of how many nodes. `pre_filter`: what PreFilter says; then the nodes' reasons are left out.

    `post_filter`: what PostFilter says, with the release's blank and dot.
    """
    text = f"0/{nodes} nodes are available:"
    if pre_filter:
        text += f" {pre_filter}."
    else:
        counts: dict[str, int] = {}
        for status in statuses:
            for reason in status.reasons:
                counts[reason] = counts.get(reason, 0) + 1
        if counts:
            text += " " + ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items())) + "."
    return text + post_filter
