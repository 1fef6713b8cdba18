"""What comes back from an extender's URL, and what the scheduler makes of the reply. Pure; touches nothing.

Go: `HTTPExtender.Filter`, `Prioritize`, `Bind` and `send` in pkg/scheduler/core/extender.go (1.22 on
pkg/scheduler/extender.go), 1.13 to 1.31. The request of Bind is part of the binding cycle; the others are part of the
scheduling cycle, for which no lock is held. The verb Preempt is in `extender_preemption`.
"""

from attrs import frozen

from model.scheduler.extender_answer import ExtenderAnswerRules, Names
from model.scheduler.framework.calls import ExtenderAnswer

# DefaultExtenderTimeout, in ms: how long a request may take where `httpTimeout` is not set.
DEFAULT_TIMEOUT = 5_000
NO_ANSWER = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"


@frozen
class FilterReply:
    """The answer to a request with the verb Filter (Go: `ExtenderFilterResult`), or why there is none."""

    # Why there is no answer: nobody answers in time, another status than 200, or a body that is not the type in JSON.
    # "": there is an answer.
    failed: str = ""
    # `error`; "" for none.
    error: str = ""
    # `nodeNames`; None: the field is not there. Read if the extender has `nodeCacheCapable`.
    node_names: Names | None = None
    # The names in `nodes.items`, which are whole Node objects; None: the field is not there.
    nodes: Names | None = None
    # `failedNodes` and `failedAndUnresolvableNodes`: pairs of a node and why the extender refuses the node.
    failed_nodes: tuple[tuple[str, str], ...] = ()
    failed_and_unresolvable: tuple[tuple[str, str], ...] = ()


def filtered(
    rules: ExtenderAnswerRules, node_cache_capable: bool, reply: FilterReply, asked: Names, known: frozenset[str]
) -> ExtenderAnswer:
    """What `Filter` returns. `asked`: the nodes of the request; `known`: all nodes of the cycle's snapshot."""
    if reply.failed or reply.error:
        return ExtenderAnswer(reply.failed or reply.error)
    nodes: tuple[str | None, ...]
    if node_cache_capable and reply.node_names is not None:
        nodes, error = rules.nodes_of_answer(reply.node_names, asked, known)
    else:
        nodes = reply.nodes or ()
        error = rules.error_of_whole_nodes(reply.nodes or (), asked)
    if error is not None:
        return ExtenderAnswer(error)
    for_good = reply.failed_and_unresolvable if rules.reads_refused_for_good() else ()
    return ExtenderAnswer(nodes=nodes, refused=reply.failed_nodes, refused_for_good=for_good)


@frozen
class BindReply:
    """The answer to a request with the verb Bind (Go: `ExtenderBindingResult`). Without an error it counts as bound."""

    # See `FilterReply`.
    failed: str = ""
    error: str = ""


def bound(reply: BindReply) -> ExtenderAnswer:
    """What `Bind` returns. An answer without an error counts as a binding, also an empty one."""
    return ExtenderAnswer(reply.failed or reply.error or None)


@frozen
class PrioritizeReply:
    """The answer to a request with the verb Prioritize (Go: `HostPriorityList`)."""

    # See `FilterReply`. The answer has no field for an error.
    failed: str = ""
    # Pairs of a node and its score. The scheduler checks neither.
    scores: tuple[tuple[str, int], ...] = ()


def prioritized(reply: PrioritizeReply) -> ExtenderAnswer:
    """What `Prioritize` returns."""
    return ExtenderAnswer(reply.failed or None, scores=reply.scores)
