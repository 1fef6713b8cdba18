"""The text of a failure: how many nodes gave which reason.

Go: `FitError.Error` in pkg/scheduler/framework/types.go.
"""

from collections.abc import Iterable

from model.scheduler.framework.status import Status


def post_filter_is_not_told(message: str) -> str:
    """To 1.23."""
    return ""


def ends_with_a_dot(message: str) -> str:
    """1.26 to 1.28: what PostFilter says."""
    return f" {message}."


def as_it_is(message: str) -> str:
    """1.24, 1.25, and 1.29 on."""
    return f" {message}"


def error_is_not_told() -> bool:
    """To 1.26 an error of PostFilter is only logged."""
    return False


def error_is_told() -> bool:
    """1.27 on."""
    return True


def fit_error_of_nodes(nodes: int, statuses: Iterable[Status], pre_filter: str = "", post_filter: str = "") -> str:
    """To 1.25: what PreFilter says stands in the statuses of the nodes. There is a dot also after no reason."""
    text = fit_error(nodes, statuses)
    return (text if text.endswith(".") else f"{text} .") + post_filter


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
