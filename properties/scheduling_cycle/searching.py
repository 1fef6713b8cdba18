"""With `quota`: whom a search asks that ends when enough nodes are found, and when a node is asked at the latest."""

from collections.abc import Iterable
from typing import Any

from model.machine import Action
from model.systems.scheduling_cycle import SchedulingCycle
from model.systems.scheduling_cycle.records import Search
from model.systems.scheduling_cycle.scope import names_nodes
from model.world.api_server import place
from properties.property import SetupInvariant

State = SchedulingCycle

# The actions in which a search may go on, and the steps with which it goes on.
_SEARCHING = frozenset({"schedule", "find_nodes", "ask_node", "call_extenders"})
_GOES_ON = frozenset({"find_nodes", "ask_node"})


def _actions(machine: Any) -> frozenset[str]:
    return _SEARCHING if machine.scope.quota else frozenset()


def _search(after: State) -> Search | None:
    return None if after.cycle is None else after.cycle.search


def _has_searched(machine: Any, before: State, action: Action, after: State) -> bool:
    search = _search(after)
    return search is not None and bool(search.examined)


def _of_snapshot(before: State, action: Action) -> frozenset[str]:
    """The nodes that the snapshot of the cycle has: `schedule` takes the snapshot of the cache."""
    infos = before.cache.nodes if action.name == "schedule" else before.snapshot.node_info_map
    return frozenset(info.name for info in infos if info.node is not None)


def _twice(examined: Iterable[str]) -> list[str]:
    names = list(examined)
    return [name for at, name in enumerate(names) if name in names[:at]]


def _missing(machine: Any, before: State, action: Action, after: State) -> list[str]:
    """The nodes that a search has not asked, though it is over all nodes and has found no more than enough."""
    search, cycle = _search(after), after.cycle
    if search is None or cycle is None or search.alone or search.stopped or cycle.steps[0] in _GOES_ON:
        return []
    if action.name == "call_extenders" or names_nodes(machine.scope, place(cycle.pod.name)):
        return []
    return sorted(_of_snapshot(before, action) - {*search.examined})


def asks_each_once(machine: Any, before: State, action: Action, after: State) -> bool:
    search = _search(after)
    return search is None or not (_twice(search.examined) or _missing(machine, before, action, after))


def _explain_once(machine: Any, before: State, action: Action, after: State) -> str:
    search = _search(after)
    assert search is not None
    asked = ", ".join(search.examined)
    if twice := _twice(search.examined):
        return f"the search asks {asked}: {twice[0]} is asked twice"
    return f"the search asks {asked} and ends, without {_missing(machine, before, action, after)[0]}"


def _strangers(before: State, action: Action, after: State) -> list[str]:
    """The nodes that were asked and that the snapshot of the cycle does not have."""
    search = _search(after)
    # The extenders come after the search.
    if search is None or action.name == "call_extenders":
        return []
    return [node for node in search.examined if node not in _of_snapshot(before, action)]


def _explain_strangers(machine: Any, before: State, action: Action, after: State) -> str:
    return f"the search asks {_strangers(before, action, after)[0]}, which is not in the snapshot of the cycle"


def latest_search(nodes: int, quota: int) -> int:
    """The search over all nodes that examines a node at the latest, counted from any search on."""
    return max(1, -(-(nodes - 1) // quota))


def _forgotten(machine: Any, after: State) -> list[str]:
    """The nodes that so many searches have not examined."""
    searches = after.searches
    if searches is None:
        return []
    k = latest_search(len(searches.nodes), machine.scope.quota)
    return [node for node, number in zip(searches.nodes, searches.passed_over, strict=True) if number >= k]


def _explain_forgotten(machine: Any, before: State, action: Action, after: State) -> str:
    assert after.searches is not None
    k = latest_search(len(after.searches.nodes), machine.scope.quota)
    searches = "search has" if k == 1 else f"{k} searches in a row have"
    return f"the last {searches} not examined {_forgotten(machine, after)[0]}, and no node has joined or left"


ASKS_EACH_ONCE = SetupInvariant(
    name="search-asks-each-node-once",
    sentence="A search asks no node twice, and unless more nodes than enough fit it asks every node of its snapshot.",
    broken_by=("from_the_tree",),
    actions=_actions,
    holds=asks_each_once,
    premise=_has_searched,
    explain=_explain_once,
)
KEEPS_TO_SNAPSHOT = SetupInvariant(
    name="search-keeps-to-its-snapshot",
    sentence="A search asks only nodes that the snapshot has which was taken when its cycle began.",
    broken_by=("from_the_tree",),
    actions=_actions,
    holds=lambda machine, before, action, after: not _strangers(before, action, after),
    premise=_has_searched,
    explain=_explain_strangers,
)
EXAMINED_IN_TURN = SetupInvariant(
    name="node-is-examined-in-turn",
    sentence="While no node joins or leaves, each node is examined by at least one of (nodes - 1) / quota searches "
    "over all nodes in a row, rounded up.",
    broken_by=("round_the_nodes_asked",),
    actions=_actions,
    holds=lambda machine, before, action, after: not _forgotten(machine, after),
    premise=lambda machine, before, action, after: bool(after.searches and after.searches.nodes),
    explain=_explain_forgotten,
)
