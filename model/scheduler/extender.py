"""A scheduler extender's filter verb: what it answers, and what it writes to the pod. Pure; touches nothing.

Go: HTTPExtender.Filter in pkg/scheduler/core/extender.go (1.22 on pkg/scheduler/extender.go), called by
findNodesThatFit / findNodesThatPassExtenders inside the scheduling cycle, without a lock. An extender is somebody's own
program, so its behaviour is a rule: `--fix my_extender.py` checks another one.
"""

from collections.abc import Callable

from attrs import frozen

from model.objects import Pairs, Pod

# The annotation that the reported extender writes: which GPU it has chosen.
ALLOCATED: Pairs = (("gpu", "0"),)


@frozen(cache_hash=True)
class ExtenderReply:
    """The answer of an extender."""

    # The nodes that fit.
    nodes: tuple[str, ...] = ()
    # The error of a call that failed, or "". The error is not ignorable: the cycle ends, and no pod preempts.
    error: str = ""
    # Annotations that the extender wrote to the pod through the API server before the answer.
    annotate: Pairs = ()


ExtenderFilter = Callable[[Pod, tuple[str, ...]], ExtenderReply]


def _allocated(pod: Pod) -> bool:
    return all(pair in pod.annotations for pair in ALLOCATED)


def filter_empty_when_allocated(pod: Pod, nodes: tuple[str, ...]) -> ExtenderReply:
    """The reported GPU extender: it writes its choice to the pod; for a pod that has one no node fits.

    To the scheduler that is a FitError, so it goes on to preempt (NOM-EXT-LEAK).
    """
    return ExtenderReply() if _allocated(pod) else ExtenderReply(nodes, annotate=ALLOCATED)


def filter_error_when_allocated(pod: Pod, nodes: tuple[str, ...]) -> ExtenderReply:
    """The reporter's cure: for a pod that has a choice already the extender answers with an error."""
    if _allocated(pod):
        return ExtenderReply(error="the pod has its GPU already")
    return ExtenderReply(nodes, annotate=ALLOCATED)


def filter_keeps_all(pod: Pod, nodes: tuple[str, ...]) -> ExtenderReply:
    """An extender that only prioritizes: every node fits, and the pod stays as it is."""
    return ExtenderReply(nodes)


def filter_rejects_all(pod: Pod, nodes: tuple[str, ...]) -> ExtenderReply:
    """An extender that finds no node, however often it is asked."""
    return ExtenderReply()


@frozen(slots=False, kw_only=True)
class ExtenderRules:
    """How the extender of a system behaves, and where somebody's own takes its place."""

    extender_filter: ExtenderFilter
