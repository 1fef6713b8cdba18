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


def nil_for_unknown_node(names: tuple[str, ...], known: frozenset[str]) -> Filtered:
    """Each name is looked up, and nobody asks whether the map has it (to 1.15): an unknown one is a nil node."""
    return tuple(name if name in known else None for name in names), None


def error_for_unknown_node(names: tuple[str, ...], known: frozenset[str]) -> Filtered:
    """The first name that the map does not have ends the cycle with an error (1.16, #79641).

    Go's text names the URL of the extender too.
    """
    for name in names:
        if name not in known:
            return (), f"extender claims a filtered node {quote(name)} which is not found in nodeNameToInfo map"
    return names, None


@frozen(slots=False, kw_only=True)
class ExtenderAnswerRules:
    """What releases do differently."""

    # The nodes of an extender's answer, by (the names in the answer, the nodes that the cycle knows).
    nodes_of_answer: Callable[[tuple[str, ...], frozenset[str]], Filtered]
