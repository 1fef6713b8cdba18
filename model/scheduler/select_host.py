"""Which of the nodes with the highest total is chosen, one random draw after the other. Pure.

Go: `selectHost` in pkg/scheduler/core/generic_scheduler.go (1.24 on schedule_one.go), `newSortedNodeScores` there from
1.35 on. `select_host` in model/scheduler/filtering.py says which nodes may be chosen. Here a draw is yielded as the
argument of `rand.Intn`, and the number drawn is sent back, so that the probability of each node can be computed.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any

from attrs import frozen

from model.go import heap

# numberOfHighestScoredNodesToReport.
REPORTED = 3
# The place of the chosen node in the list, and lastNodeIndex afterwards.
Chosen = tuple[int, int]
Draws = Generator[int, int, Chosen]


@frozen(slots=False, kw_only=True)
class SelectHostRules:
    """What releases do differently."""

    # (the total of each node, lastNodeIndex) -> the draws, and the choice. There are two nodes or more: with a single
    # feasible node nobody asks.
    draw_host: Callable[[Sequence[int], int], Draws]


def next_in_turn(totals: Sequence[int], last_node_index: int) -> Draws:
    """To 1.15: the nodes of the highest total are counted by a number that grows with each choice of any pod."""
    yield from ()
    equals = [at for at, total in enumerate(totals) if total == max(totals)]
    return equals[last_node_index % len(equals)], last_node_index + 1


def drawn_in_one_pass(totals: Sequence[int], last_node_index: int) -> Draws:
    """1.16 to 1.27: reservoir sampling. The k-th node of the highest total so far replaces the chosen one by 1 in k."""
    chosen, equals = 0, 1
    for at in range(1, len(totals)):
        if totals[at] > totals[chosen]:
            chosen, equals = at, 1
        elif totals[at] == totals[chosen]:
            equals += 1
            if (yield equals) == 0:
                chosen = at
    return chosen, last_node_index


def drawn_from_a_heap(totals: Sequence[int], last_node_index: int) -> Draws:
    """1.28 to 1.34: the same draws, over the nodes as a heap gives them, the highest totals first."""
    left, before = _heap(totals)
    listed, chosen, equals = [heap.pop(left, before)], 0, 1
    while True:
        node = heap.pop(left, before)
        equal = totals[node] == totals[listed[0]]
        if not equal and len(listed) == REPORTED:
            break
        if equal:
            equals += 1
            if (yield equals) == 0:
                chosen = equals - 1
        listed.append(node)
        if not left:
            break
    return listed[chosen], last_node_index


def first_of_a_heap(totals: Sequence[int], last_node_index: int) -> Draws:
    """1.35 on (#135231): the top of the heap, without a draw.

    Nodes of one total are told apart by a number, `Randomizer`. It is drawn for the nodes that an extender has scored,
    and is 0 for the others. Here no extender scores. #141024 draws the number for each node.
    """
    yield from ()
    left, before = _heap(totals)
    return heap.pop(left, before), last_node_index


def first_by_number(totals: Sequence[int], last_node_index: int) -> Draws:
    """As #141024 proposes: a number is drawn for each node, and among equal totals the highest number is first.

    Nothing but the order of the numbers counts. So each node takes a random place among those before.
    """
    by_number: list[int] = []
    for node in range(len(totals)):
        place = yield node + 1
        by_number.insert(place, node)
    left, before = _heap([(total, by_number.index(node)) for node, total in enumerate(totals)])
    return heap.pop(left, before), last_node_index


def _heap(order: Sequence[Any]) -> tuple[list[int], Callable[[int, int], bool]]:
    """The places of the nodes, as `heap.Init` leaves them, and which of two stands higher in `order`."""

    def before(one: int, other: int) -> bool:
        return bool(order[one] > order[other])

    left = list(range(len(order)))
    heap.init(left, before)
    return left, before
