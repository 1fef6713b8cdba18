"""How a search for feasible nodes may end if several workers ask the nodes, each a node at a time. Pure.

Go: `checkNode` of findNodesThatFit (1.17), findNodesThatPassFilters (1.18 on), and `ParallelizeUntil` in client-go's
util/workqueue. A worker takes a node, looks whether the search is cancelled, and asks the node. Whoever finds one node
more than enough cancels the search. From 1.20 on a worker takes several nodes at once where there are many: left out.
"""

from collections.abc import Iterator
from functools import lru_cache

from attrs import evolve, frozen

# What a worker does next: take a node, look whether the search is cancelled, ask the node, cancel; or it has returned.
_TAKE, _LOOK, _ASK, _CANCEL, _RETURNED = "take", "look", "ask", "cancel", "returned"
# What a worker does next, and the place of the node that it has.
_Worker = tuple[str, int]


@frozen
class Ended:
    """What a search has come to: the places of nodes, in the order in which they may be taken."""

    # The nodes that were asked.
    examined: tuple[int, ...] = ()
    # Those of them that count as feasible.
    found: tuple[int, ...] = ()
    # Those that the pod does not fit.
    refused: tuple[int, ...] = ()
    cancelled: bool = False


@lru_cache(maxsize=1 << 12)
def ways_to_end(fits: tuple[bool, ...], enough: int, workers: int) -> tuple[Ended, ...]:
    """Every way in which the search may end. With one worker there is one.

    `fits`: of each node, in the order in which they are taken, whether the pod fits there.
    """
    begin = Ended(), ((_TAKE, 0),) * workers, 0
    seen, left, ends = {begin}, [begin], set[Ended]()
    while left:
        ended, going, taken = left.pop()
        if all(does == _RETURNED for does, _ in going):
            ends.add(ended)
        for at, worker in enumerate(going):
            for search, one, next_ in _goes_on(fits, enough, ended, worker, taken):
                # Workers are alike.
                after = search, tuple(sorted((*going[:at], one, *going[at + 1 :]))), next_
                if after not in seen:
                    seen.add(after)
                    left.append(after)
    return tuple(sorted(ends, key=lambda each: (each.examined, each.found)))


def _goes_on(
    fits: tuple[bool, ...], enough: int, ended: Ended, worker: _Worker, taken: int
) -> Iterator[tuple[Ended, _Worker, int]]:
    """The next thing that the worker does. `taken`: how many nodes are taken."""
    does, node = worker
    if does == _TAKE:
        yield (ended, (_LOOK, taken), taken + 1) if taken < len(fits) else (ended, (_RETURNED, 0), taken)
    elif does == _LOOK:
        yield ended, (_RETURNED, 0) if ended.cancelled else (_ASK, node), taken
    elif does == _ASK:
        after = evolve(ended, examined=tuple(sorted((*ended.examined, node))))
        if fits[node] and len(ended.found) == enough:
            yield after, (_CANCEL, 0), taken
        elif fits[node]:
            yield evolve(after, found=tuple(sorted((*ended.found, node)))), (_TAKE, 0), taken
        else:
            yield evolve(after, refused=tuple(sorted((*ended.refused, node)))), (_TAKE, 0), taken
    elif does == _CANCEL:
        yield evolve(ended, cancelled=True), (_TAKE, 0), taken
