"""Is every node examined, and after how many searches at the latest?

A comment of `findNodesThatPassFilters` in pkg/scheduler/schedule_one.go says that all nodes have the same chance of
being examined, since a search begins where the one before has ended. Here every sequence of searches is looked at, for
a number of nodes that does not change: whichever nodes are feasible, in whichever order pods come. The answer is a
number, or a sequence that goes on for ever and never examines a node.

Only a search over all nodes that does not fail counts. The sequence may have others between these: of a pod whose
PreFilter plugin names a node, and that is tried there alone; of a pod that fits on its nominated node; of a pod whose
filter fails on a node.
"""

from collections.abc import Iterator
from itertools import combinations

from attrs import evolve, frozen

from model.scheduler.cache.node_tree import NodeTree, next_node
from model.scheduler.filtering import FilteringRules, FilterSetup, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Ask, Call, driven
from model.scheduler.framework.status import SUCCESS, Code, Status

REFUSED, BROKEN = Status(Code.UNSCHEDULABLE, ("no",)), Status(Code.ERROR, ("boom",))


@frozen
class Grid:
    """The searches that are looked at."""

    # In the order of the list; to 1.16 in the tree below.
    nodes: tuple[str, ...]
    # How many feasible nodes are enough. Go takes 100 or more.
    quota: int
    # To 1.16: the tree with these nodes.
    tree: NodeTree = NodeTree()
    # Whether pods come whose PreFilter plugin names a node, with a nominated node, or whose filter fails on a node.
    named: bool = False
    nominated: bool = False
    errors: bool = False


@frozen
class Search:
    """What a pod is like."""

    # The nodes where the pod fits.
    fits: frozenset[str]
    # The node that PreFilter names, that the pod is nominated to, or where a filter fails; "" for none.
    named: str = ""
    nominated: str = ""
    fails_on: str = ""


# Where the next search begins: nextStartNodeIndex, and to 1.16 the tree with its cursors.
Place = tuple[int, NodeTree]


@frozen
class Searched:
    """A search that was made."""

    search: Search
    examined: tuple[str, ...]
    after: Place
    # Whether the pod was tried on the node that is named or nominated, and on no other.
    alone: bool

    @property
    def counts(self) -> bool:
        """Whether the search is over all nodes and does not fail."""
        return not self.alone and not self.search.fails_on


def searches(grid: Grid) -> Iterator[Search]:
    """Every search of the grid, the plain ones first."""
    for number in range(len(grid.nodes), -1, -1):
        for fits in combinations(grid.nodes, number):
            yield Search(frozenset(fits))
    for node in grid.nodes:
        if grid.named:
            yield Search(frozenset(grid.nodes), named=node)
        if grid.nominated:
            yield Search(frozenset(grid.nodes), nominated=node)
            yield Search(frozenset(grid.nodes) - {node}, nominated=node)
        if grid.errors:
            yield Search(frozenset(grid.nodes), fails_on=node)


def made(rules: FilteringRules, grid: Grid, place: Place, search: Search) -> Searched:
    """A search under the rules of a release, from a place on. One worker asks."""
    start, tree = place

    def check_of(node: str) -> Status:
        if node == search.fails_on:
            return BROKEN
        return SUCCESS if node in search.fits else REFUSED

    def answer(call: Call) -> object:
        nonlocal tree
        if call == Ask("number of nodes"):
            return tree.num_nodes
        assert call == Ask("next node"), "a search asks nothing else"
        name, tree = next_node(tree)
        return name

    def enough(nodes: int, percentage: int, of_profile: int | None) -> int:
        return min(nodes, grid.quota)

    setup = FilterSetup(
        evolve(rules, num_feasible_nodes_to_find=enough), 0, None, True, lambda node: answered(check_of(node))
    )
    named = (search.named,) if search.named else None
    found = driven(find_nodes_that_fit_pod(setup, grid.nodes, start, search.nominated, named), answer)
    examined = tuple(found.examined)
    alone = len(grid.nodes) > 1 and examined in ((search.named,), (search.nominated,))
    return Searched(search, examined, (found.start, tree), alone)


@frozen
class Bound:
    """After how many searches a node is examined at the latest."""

    # The search that examines the node, counted from 1; None: a sequence never does.
    searches: int | None
    # The node, and a longest sequence of searches that do not examine the node. If `searches` is None, the part from
    # `round` on may be repeated for ever.
    node: str
    run: tuple[Searched, ...]
    round: int = 0


class _Round(Exception):
    """A sequence that comes back to a place without having examined the node."""

    def __init__(self, run: tuple[Searched, ...], begins: int) -> None:
        self.run, self.begins = run, begins


def bound(rules: FilteringRules, grid: Grid) -> Bound:
    """The bound of the node that has to wait longest, over every place that searches of the grid lead to."""
    steps = _steps(rules, grid)
    worst = Bound(0, "", ())
    for node in grid.nodes:
        found = _bound_of(steps, node)
        if found.searches is None:
            return found
        if worst.searches is not None and found.searches > worst.searches:
            worst = found
    return worst


def _steps(rules: FilteringRules, grid: Grid) -> dict[Place, tuple[Searched, ...]]:
    """Every search from every place."""
    found: dict[Place, tuple[Searched, ...]] = {}
    left: list[Place] = [(0, grid.tree)]
    while left:
        place = left.pop()
        if place in found:
            continue
        every = tuple(made(rules, grid, place, search) for search in searches(grid))
        # Of searches that count alike, examine the same and lead to the same place one is enough.
        found[place] = tuple(
            {(each.counts, each.alone, frozenset(each.examined), each.after): each for each in every}.values()
        )
        left += [each.after for each in found[place]]
    return found


def _bound_of(steps: dict[Place, tuple[Searched, ...]], node: str) -> Bound:
    """The longest sequence that does not examine `node`."""
    longest: dict[Place, tuple[Searched, ...]] = {}

    def avoiding(place: Place, so_far: tuple[Searched, ...], begun: dict[Place, int]) -> tuple[Searched, ...]:
        """The sequence with the most searches that count."""
        if place in begun:
            if any(each.counts for each in so_far[begun[place] :]):
                raise _Round(so_far, begun[place])
            return ()
        if place not in longest:
            best: tuple[Searched, ...] = ()
            for each in steps[place]:
                if node in each.examined and not each.alone:
                    continue
                rest = (each, *avoiding(each.after, (*so_far, each), {**begun, place: len(so_far)}))
                if _number(rest) > _number(best):
                    best = rest
            longest[place] = best
        return longest[place]

    try:
        runs = [avoiding(place, (), {}) for place in steps]
    except _Round as found:
        return Bound(None, node, found.run, found.begins)
    run = max(runs, key=_number)
    return Bound(_number(run) + 1, node, run)


def _number(run: tuple[Searched, ...]) -> int:
    return sum(each.counts for each in run)
