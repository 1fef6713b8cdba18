"""One representative of states that no action can tell apart: times, cycle numbers, generations, dead fields.

Every action ends here, so that a system without bounds on attempts has finitely many states.
"""

from model.evolve import evolve
from model.scheduler.cache.canonical import compress_generations
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.queue.failures import forget_attempts
from model.scheduler.queue.state import Infos, Queue, QueuedPodInfo
from model.systems.queueing_hints.records import QueueingHints
from model.systems.queueing_hints.rules import Setup
from model.systems.scheduling.normal import with_small_cycles
from model.world.times import compressed

# Up to which number attempts and cycles since are told apart for a rule from outside.
COUNTED = 3


def normal(setup: Setup, state: QueueingHints) -> QueueingHints:
    """The representative of `state`.

    A field is dropped, or brought to few values, where no rule of a release can tell. Of what a rule from outside may
    be given nothing is dropped: numbers that only grow are kept up to a bound, beyond the bound their order.
    """
    read = bool(setup.outside)
    queue, _ = with_small_cycles(state.queue, (), COUNTED if read else None)
    queue, _ = compressed(setup, _few_attempts(setup, queue), (), read)
    cache = state.cache if read else _without_deadlines(state.cache)
    cache = compress_generations(setup.rules, cache, CacheSnapshot(), read)[0]
    return evolve(state, queue=queue, cache=cache)


def with_few_attempts(setup: Setup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
    """The record with attempts and failures cut to what a rule in force can tell apart, or to `COUNTED`."""
    if not setup.outside:
        return forget_attempts(setup.queue, info, popped)
    return evolve(
        info,
        attempts=min(info.attempts, COUNTED),
        unschedulable_count=min(info.unschedulable_count, COUNTED),
        consecutive_errors_count=min(info.consecutive_errors_count, COUNTED),
    )


def _few_attempts(setup: Setup, queue: Queue) -> Queue:
    def cut(infos: Infos) -> Infos:
        return tuple(with_few_attempts(setup, info) for info in infos)

    return evolve(queue, active=cut(queue.active), backoff=cut(queue.backoff), unschedulable=cut(queue.unschedulable))


def _without_deadlines(cache: Cache) -> Cache:
    """Assumed pods never expire: when their binding was finished tells nobody anything."""
    if not any(s.binding_finished or s.deadline is not None for s in cache.pod_states):
        return cache
    states = tuple(evolve(s, binding_finished=False, deadline=None) for s in cache.pod_states)
    return Cache(cache.nodes, states, cache.node_tree, cache.generation)
