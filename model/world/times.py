"""Stored times: every stored time is relative to now, which is 0; passing time shifts them all.

Between two operations of the queue a moment passes, so that no two timestamps are equal. The next instant is that at
which some rule answers otherwise: the end of a backoff, the limit of the leftover flush, an assumed pod's deadline.
Touches times in queue and cache only.
"""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from model.evolve import evolve
from model.scheduler.cache.canonical import shift_times as shift_cache
from model.scheduler.queue.state import WITH_TIMES, Infos, Queue, shift_times
from model.variables import touched
from model.world.state import HasCache, HasQueue, TimeSetup


class HasTimes(HasQueue, HasCache, Protocol):
    """What stores times."""


S = TypeVar("S", bound=HasTimes)
Q = TypeVar("Q", bound=HasQueue)

NOW = 0  # every stored time is relative to now
MOMENT = 1  # ms


def later(setup: TimeSetup, state: S, ms: int = MOMENT) -> S:
    """The same state seen `ms` later.

    Without the clock nobody asks how long ago something was: there a moment passes for the queue when a time was
    stored, see `stored`. So who stores none does not read all times.
    """
    if setup.keeps_times and setup.scope.clock:
        queue = shift_times(state.queue, ms)
        state = state if queue is state.queue else evolve(state, queue=queue)
    if setup.scope.expiry:
        cache = shift_cache(state.cache, ms)
        state = state if cache is state.cache else evolve(state, cache=cache)
    return state


def stored(setup: TimeSetup, state: Q, queue: Queue) -> Q:
    """The state after an operation of the queue that may have stored NOW in `queue`."""
    if queue is state.queue:
        return state
    if setup.keeps_times and not setup.scope.clock and touched(queue, state.queue, *WITH_TIMES, "pod_backoff"):
        queue = shift_times(queue, MOMENT)
    return evolve(state, queue=queue)


def _instants(setup: TimeSetup, state: HasTimes) -> Iterator[int]:
    """When something ends, past or future."""
    queue, rules = state.queue, setup.queue.rules
    limit = rules.unschedulable_time_limit(setup.queue.config)
    for info in (*queue.backoff, *queue.unschedulable):
        end = rules.backoff_time(setup.queue, queue, info)
        if end is not None:
            yield end
    if setup.scope.flush and limit is not None:
        yield from (info.timestamp + limit for info in queue.unschedulable)
    for entry in queue.pod_backoff:
        # A backoff ends, then it is forgotten: after one or two maximal durations.
        yield from (entry.last_update + times * setup.queue.config.max_backoff for times in (1, 2))
    if setup.scope.expiry:
        yield from (s.deadline for s in state.cache.pod_states if s.assumed and s.deadline is not None)


def next_instant(setup: TimeSetup, state: HasTimes) -> int | None:
    """How many ms from now something ends, None when nothing will."""
    return min((at for at in _instants(setup, state) if at >= 0), default=None)


def compressed(
    setup: TimeSetup, queue: Queue, deadlines: tuple[int, ...], keep_backoffs: bool = False
) -> tuple[Queue, dict[int, int]]:
    """`queue` with times that keep all that a rule can tell, and the new deadlines for the old.

    Without `clock` no time passes, so nothing but the order of timestamps matters. With it, a time is kept as whole
    backoffs and a remainder; the remainders, only compared with each other, are replaced by their ranks (the regions
    of timed automata), and beyond the limit of the leftover flush, the longest of all, only order counts. A queue
    without timestamps (1.13's) has 0 for all of them, which stays. `keep_backoffs`: what is kept of backoffs by name
    may be read although nobody backs off.
    """
    stamps = {info.timestamp for name in WITH_TIMES for info in getattr(queue, name)} if setup.keeps_times else set()
    if not setup.scope.clock and keep_backoffs:
        stamps |= {entry.last_update for entry in queue.pod_backoff}
    if not setup.scope.clock:
        new = {old: -rank for rank, old in enumerate(sorted(stamps, reverse=True), start=1)}
        # Nobody backs off, so what is kept of backoffs is read by nobody.
        if queue.pod_backoff and not keep_backoffs:
            queue = evolve(queue, pod_backoff=())
        return _with_times(queue, new, new), {}
    unit = setup.queue.config.max_backoff
    times = stamps | {entry.last_update for entry in queue.pod_backoff} | {at for at in deadlines if at >= 0}
    old_ones = sorted((at for at in times if -at > 2 * unit), reverse=True)
    young = times.difference(old_ones)
    # A remainder of 0 is a whole number of backoffs, which `<` tells from a moment more: it stays.
    rank = {rest: i for i, rest in enumerate(sorted({0, *(-at % unit for at in young)}))}
    new = {at: -(-at // unit * unit + rank[-at % unit]) for at in young}
    new |= {at: -(2 * unit + unit // 2 + i) for i, at in enumerate(old_ones)}
    return _with_times(queue, new, new) if setup.keeps_times else queue, {at: new.get(at, -1) for at in deadlines}


def _with_times(queue: Queue, stamps: dict[int, int], updates: dict[int, int]) -> Queue:
    changed: dict[str, Any] = {}
    if any(old != new for old, new in stamps.items()):
        for name in WITH_TIMES:
            infos: Infos = getattr(queue, name)
            if any(stamps.get(info.timestamp, info.timestamp) != info.timestamp for info in infos):
                changed[name] = tuple(
                    evolve(info, timestamp=stamps.get(info.timestamp, info.timestamp)) for info in infos
                )
    if any(old != new for old, new in updates.items()):
        changed["pod_backoff"] = tuple(
            evolve(entry, last_update=updates.get(entry.last_update, entry.last_update)) for entry in queue.pod_backoff
        )
    return evolve(queue, **changed) if changed else queue
