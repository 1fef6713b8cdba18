"""What comes back from an extender's URL, and what the scheduler makes of the reply. Pure; touches nothing.

Go: `HTTPExtender.Filter`, `Prioritize`, `Bind` and `send` in pkg/scheduler/core/extender.go (1.22 on
pkg/scheduler/extender.go), 1.13 to 1.31. The request of Bind is part of the binding cycle; the others are part of the
scheduling cycle, for which no lock is held. The verb Preempt is in `extender_preemption`. The extender of the system
scheduling names only nodes that it was given, so the system does not go by these rules.
"""

from collections.abc import Callable

from attrs import frozen

from model.go.formats import quote
from model.scheduler.framework.calls import ExtenderAnswer

# --- How the nodes in an answer to Filter are taken, by release

# The nodes that go on to the next step, None for a nil pointer; and the error text that ends the cycle, or None.
Filtered = tuple[tuple[str | None, ...], str | None]
Names = tuple[str, ...]


def nil_for_unknown_node(names: Names, asked: Names, known: frozenset[str]) -> Filtered:
    """Each name is looked up, and nobody asks whether the map has it (to 1.15): an unknown one is a nil node."""
    return tuple(name if name in known else None for name in names), None


def error_for_unknown_node(names: Names, asked: Names, known: frozenset[str]) -> Filtered:
    """The first name that the map does not have ends the cycle with an error (1.16 and 1.17, #79641).

    The map has all nodes of the cycle, so the extender may name a node that a plugin has refused. Go's text names the
    URL of the extender too.
    """
    for name in names:
        if name not in known:
            return (), f"extender claims a filtered node {quote(name)} which is not found in nodeNameToInfo map"
    return names, None


def error_for_node_not_asked(names: Names, asked: Names, known: frozenset[str]) -> Filtered:
    """The first name that was not in the request ends the cycle with an error (1.18 on)."""
    for name in names:
        if name not in asked:
            return (), f"extender claims a filtered node {quote(name)} which is not found in the input node list"
    return names, None


def whole_nodes_as_they_come(names: Names, asked: Names) -> str | None:
    """What is wrong with the Node objects of an answer: to 1.31 nobody looks (EXT-FILTER-WIDENS)."""
    return None


def refused_for_good_is_not_read() -> bool:
    """To 1.20 an answer has no field `failedAndUnresolvableNodes`: whether the scheduler reads the field."""
    return False


def refused_for_good_is_read() -> bool:
    """1.21 on."""
    return True


@frozen(slots=False, kw_only=True)
class ExtenderAnswerRules:
    """What releases do differently."""

    # The nodes of an extender's answer, by (the names in the answer, those in the request, all nodes of the cycle).
    nodes_of_answer: Callable[[Names, Names, frozenset[str]], Filtered]
    # The error text of (the names of the whole Node objects in the answer, the names in the request), or None.
    error_of_whole_nodes: Callable[[Names, Names], str | None]
    # Whether `failedAndUnresolvableNodes` of an answer is read.
    reads_refused_for_good: Callable[[], bool]


# --- Replies, and what is made of them

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
