"""How the scheduler takes the names of nodes in an extender's answer. Pure; touches nothing.

Go: `HTTPExtender.Filter` in pkg/scheduler/core/extender.go (1.22 on pkg/scheduler/extender.go), for an extender with
`nodeCacheCapable`. The extender of the system scheduling names only nodes that it was given, so the system does not go
by this rule.
"""

from collections.abc import Callable

from attrs import frozen

from model.go.formats import quote

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
