"""One representative of states that no action can tell apart: times, cycle numbers, generations, dead fields.

Every action ends here, so that a system without bounds on attempts has finitely many states.
"""

from operator import is_
from typing import Any

from model.evolve import evolve
from model.scheduler.cache.canonical import compress_generations
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.queue.backoff import forget_attempts
from model.scheduler.queue.state import Infos, Queue, QueuedPodInfo
from model.systems.queueing_hints.records import QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.scheduling.normal import SUB_QUEUES, anew, with_small_cycles, without_deadlines
from model.variables import Bag
from model.world.times import compressed

# Up to which number attempts and cycles since are told apart for a rule from outside.
COUNTED = 3


def normal(setup: HintsSetup, state: QueueingHints, before: QueueingHints | None = None) -> QueueingHints:
    """The representative of `state`.

    A field is dropped, or brought to few values, where no rule of a release can tell. Of what a rule from outside may
    be given nothing is dropped: numbers that only grow are kept up to a bound, beyond the bound their order.

    `before`: a representative of which an action has made `state`. What the action did not touch is left alone. None:
    nothing is known of the state.
    """
    read = bool(setup.outside)
    queue = _normal_queue(setup, state.queue, None if before is None else before.queue, read)
    cache, last = state.cache, None if before is None else before.cache
    if not read and anew(cache, last, "pod_states"):
        cache = without_deadlines(cache)
    if anew(state.cache, last, "nodes", "generation"):
        cache, _ = compress_generations(setup.rules, cache, CacheSnapshot(), read)
    changed: dict[str, Any] = {}
    if queue is not state.queue:
        changed["queue"] = queue
    if cache is not state.cache:
        changed["cache"] = cache
    return evolve(state, **changed) if changed else state


def _normal_queue(setup: HintsSetup, queue: Queue, last: Queue | None, read: bool) -> Queue:
    infos = anew(queue, last, *SUB_QUEUES, "pod_backoff")
    if anew(queue, last, "scheduling_cycle", "move_request_cycle"):
        queue, _ = with_small_cycles(queue, Bag(), COUNTED if read else None)
    if infos:
        queue, _ = compressed(setup, _few_attempts(setup, queue), (), read)
    return queue


def with_few_attempts(setup: HintsSetup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
    """The record with attempts and failures cut to what a rule in force can tell apart, or to `COUNTED`."""
    if not setup.outside:
        return forget_attempts(setup.queue, info, popped)
    return evolve(
        info,
        attempts=min(info.attempts, COUNTED),
        unschedulable_count=min(info.unschedulable_count, COUNTED),
        consecutive_errors_count=min(info.consecutive_errors_count, COUNTED),
    )


def _few_attempts(setup: HintsSetup, queue: Queue) -> Queue:
    changed: dict[str, Any] = {}
    for name in SUB_QUEUES:
        infos: Infos = getattr(queue, name)
        few = [with_few_attempts(setup, info) for info in infos]
        if not all(map(is_, few, infos)):
            changed[name] = tuple(few)
    return evolve(queue, **changed) if changed else queue
