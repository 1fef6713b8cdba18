"""What the scheduler does about a node that is not there: one that an extender names, one that an error names.

Go: `HTTPExtender.Filter` in pkg/scheduler/core/extender.go; `MakeDefaultErrorFunc` in factory/factory.go (1.13 to
1.16), factory.go (1.17 to 1.23) and scheduler.go (1.24), `handleSchedulingFailure` in schedule_one.go (1.25 on).
The system scheduling does not go by these rules: its extender names only nodes that it was given, and no cycle fails
for want of a node. Touches nothing but its arguments.
"""

from collections.abc import Callable

from attrs import frozen

from model.go.formats import quote
from model.objects import Node
from model.scheduler.cache.cache import remove_node
from model.scheduler.cache.state import Cache, CacheRules

# The nodes that go on to the next step, None for a nil pointer; and the error text that ends the cycle, or None.
Filtered = tuple[tuple[str | None, ...], str | None]


def nil_for_unknown_node(names: tuple[str, ...], known: frozenset[str]) -> Filtered:
    """Each name is looked up without a question whether the map has it (to 1.15): an unknown one is a nil node."""
    return tuple(name if name in known else None for name in names), None


def error_for_unknown_node(names: tuple[str, ...], known: frozenset[str]) -> Filtered:
    """The first name that the map does not have ends the cycle with an error (1.16, #79641).

    Go's text names the URL of the extender too.
    """
    for name in names:
        if name not in known:
            return (), f"extender claims a filtered node {quote(name)} which is not found in nodeNameToInfo map"
    return names, None


def remove_node_by_name(rules: CacheRules, cache: Cache, name: str) -> Cache:
    """`Cache.RemoveNode` of an object that has a name and nothing else (to 1.29, #56622).

    The tree looks for the node in the zone of that object, which is none (NODETREE-NAMEONLY-REMOVE). The error is only
    logged.
    """
    return remove_node(rules, cache, Node(name))[1]


def keep_missing_node(rules: CacheRules, cache: Cache, name: str) -> Cache:
    """Nothing: the delete event takes the node out (1.30, #121981)."""
    return cache


@frozen(slots=False, kw_only=True)
class NotFoundRules:
    """What releases do differently."""

    # The nodes of an extender's answer, by (the names in the answer, the nodes that the cycle knows).
    nodes_of_answer: Callable[[tuple[str, ...], frozenset[str]], Filtered]
    # What the error function does when a cycle failed because of the node `name`, and the API server has none.
    remove_missing_node: Callable[[CacheRules, Cache, str], Cache]
