"""The clock: time passes until something ends, and what the scheduler does every so often.

Go: the goroutines that SchedulingQueue.Run and the cache start. Touches queue and cache only.
"""

from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from model.machine import Action, Offer
from model.places import always
from model.scheduler.cache import cache as cache_functions
from model.scheduler.queue import scheduling_queue as queue_functions
from model.world.calls_in import call_cache, with_queue
from model.world.go_files import CACHE_GO, QUEUE_GO, at
from model.world.state import HasCache, HasComponents, HasQueue, TimeSetup
from model.world.step import Scope, Step
from model.world.times import NOW, HasTimes, later, next_instant

S = TypeVar("S", bound=HasComponents)

_QUEUE_LOCK = "PriorityQueue.lock"
_LEFTOVER = (("1.13.0", "flushUnschedulableQLeftover"), ("1.24.0-alpha.1", "flushUnschedulablePodsLeftover"))


def _has_clock(scope: Scope) -> object:
    return scope.clock


STEPS = (
    Step(name="tick", place=always("the clock"), needs=_has_clock),
    Step(
        name="flush_backoff_q_completed",
        place=at(QUEUE_GO, "flushBackoffQCompleted"),
        lock=_QUEUE_LOCK,
        needs=_has_clock,
    ),
    Step(
        name="flush_unschedulable_q_leftover",
        place=at(QUEUE_GO, _LEFTOVER),
        lock=_QUEUE_LOCK,
        power=("flush",),
        needs=_has_clock,
    ),
    Step(
        name="cleanup_assumed_pods",
        place=at(CACHE_GO, "cleanupAssumedPods"),
        lock="schedulerCache.mu",
        power=("expiry",),
        needs=_has_clock,
    ),
)


def offers(setup: TimeSetup) -> tuple[Offer[HasComponents], ...]:
    """Time passes while something will end; a flush is offered where it changes something."""
    scope = setup.scope
    if not scope.clock:
        return ()
    found: list[Offer[HasComponents]] = [partial(_tick, setup), partial(_flush_backoff_q, setup)]
    if scope.flush:
        found.append(partial(_flush_leftover, setup))
    if scope.expiry:
        found.append(partial(_cleanup, setup))
    return tuple(found)


def _tick(setup: TimeSetup, state: HasTimes) -> Iterator[Action]:
    if next_instant(setup, state) is not None:
        yield Action("tick")


def _flush_backoff_q(setup: TimeSetup, state: HasQueue) -> Iterator[Action]:
    if queue_functions.flush_backoff_q_completed(setup.queue, state.queue, NOW) is not state.queue:
        yield Action("flush_backoff_q_completed")


def _flush_leftover(setup: TimeSetup, state: HasQueue) -> Iterator[Action]:
    if queue_functions.flush_unschedulable_q_leftover(setup.queue, state.queue, NOW) is not state.queue:
        yield Action("flush_unschedulable_q_leftover")


def _cleanup(setup: TimeSetup, state: HasCache) -> Iterator[Action]:
    _, cache = cache_functions.cleanup_assumed_pods(setup.rules, state.cache, NOW)
    if cache is not state.cache:
        yield Action("cleanup_assumed_pods")


def act(setup: TimeSetup, state: S, action: Action) -> S:
    """The state after a moment of the clock."""
    match action.name:
        case "tick":
            until = next_instant(setup, state)
            return later(setup, state, 1 + (until or 0))
        case "cleanup_assumed_pods":
            return call_cache(setup, state, action.name, NOW)[1]
        case "flush_backoff_q_completed":
            flushed = queue_functions.flush_backoff_q_completed(setup.queue, state.queue, NOW)
        case _:
            flushed = queue_functions.flush_unschedulable_q_leftover(setup.queue, state.queue, NOW)
    return with_queue(state, flushed)
