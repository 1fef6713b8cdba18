"""One representative of states that no action can tell apart: times, cycle numbers, generations, dead fields.

Every action ends here, so that a system without bounds on attempts and events has finitely many states.
"""

from model.evolve import evolve
from model.scheduler.cache.canonical import compress_generations, forget_finished_bindings
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot
from model.scheduler.calls import Call
from model.scheduler.queue.failures import forget_attempts
from model.scheduler.queue.state import Infos, Queue, QueuedPodInfo, shift_cycles
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup
from model.world.goroutines import together
from model.world.times import compressed


def normal(setup: Setup, state: Scheduling) -> Scheduling:
    """The representative of `state`.

    A field is dropped, or brought to few values, where no rule of a release can tell. Of what a rule from outside is
    given (`Setup.queue_is_read` and so on) nothing is dropped: numbers that only grow are kept up to a bound, beyond
    the bound their order.
    """
    exact = setup.counted if setup.queue_is_read else None
    queue, retries = with_small_cycles(state.queue, state.retries, exact)
    queue = _few_attempts(setup, queue)
    cache, snapshot = state.cache, state.snapshot
    if setup.scope.expiry:
        deadlines = tuple(s.deadline for s in cache.pod_states if s.deadline is not None)
        queue, new = compressed(setup, queue, deadlines, setup.queue_is_read)
        cache = _with_deadlines(setup, cache, new)
    else:
        queue, _ = compressed(setup, queue, (), setup.queue_is_read)
        cache = cache if setup.cache_is_read else _without_deadlines(cache)
    cache = cache if setup.node_order_is_read or setup.scope.node_zones > 1 else _in_name_order(cache)
    cache, snapshot = _small_generations(setup, cache, snapshot)
    if len(snapshot.node_info_list) > 1 and not setup.node_order_is_read:
        listed = tuple(sorted(snapshot.node_info_list))
        snapshot = CacheSnapshot(snapshot.node_info_map, listed, snapshot.generation)
    calls = state.node_calls and tuple(map(_without_generation, state.node_calls))
    return evolve(state, queue=queue, cache=cache, snapshot=snapshot, retries=together(*retries), node_calls=calls)


def _without_generation(call: Call) -> Call:
    """A move checks pods against the NodeInfo that it holds, and compares this NodeInfo with no other."""
    args = tuple(evolve(arg, generation=0) if isinstance(arg, NodeInfo) else arg for arg in call.args)
    return call if args == call.args else evolve(call, args=args)


def _in_name_order(cache: Cache) -> Cache:
    """The tree's nodes by name, its cursors at the start; a snapshot's list is sorted likewise.

    Only where all nodes are in one zone. There every release lists each node once, wherever the cursors stand, and the
    cycle offers every node that fits: nothing shows in which order nodes joined.
    """
    tree = cache.node_tree
    arrays = tuple(NodeArray(tuple(sorted(array.nodes))) for array in tree.tree)
    if arrays == tree.tree and not tree.zone_index:
        return cache
    return Cache(cache.nodes, cache.pod_states, NodeTree(tree.zones, arrays, 0, tree.num_nodes), cache.generation)


def with_small_cycles(
    queue: Queue, retries: tuple[Goroutine, ...], exact: int | None = None
) -> tuple[Queue, tuple[Goroutine, ...]]:
    """`schedulingCycle` is 0, `moveRequestCycle` 0 or -1, the number that a retry holds 0 or -1.

    All that is asked of them is whether moveRequestCycle >= a number that was schedulingCycle once. It only grows, and
    grows only to schedulingCycle. So once true of a retry that stays true: then it holds -1; until then it holds 0.

    With `exact`, all numbers are counted back from schedulingCycle, which is 0: up to so many cycles ago they stay,
    beyond that they keep their order.
    """
    if exact is not None:
        return _counted_back(queue, retries, exact)
    moved, now = queue.move_request_cycle, queue.scheduling_cycle
    retries = tuple(
        retry if retry.cycle == wanted else evolve(retry, cycle=wanted)
        for retry in retries
        for wanted in (-1 if moved >= retry.cycle else 0,)
    )
    if now:
        queue = shift_cycles(queue, now)
    if queue.move_request_cycle < -1:
        queue = evolve(queue, move_request_cycle=-1)
    return queue, retries


def _counted_back(queue: Queue, retries: tuple[Goroutine, ...], exact: int) -> tuple[Queue, tuple[Goroutine, ...]]:
    queue, now = shift_cycles(queue, queue.scheduling_cycle), queue.scheduling_cycle
    held = [retry.cycle - now for retry in retries]
    older = sorted({cycle for cycle in (queue.move_request_cycle, *held) if cycle < -exact}, reverse=True)
    new = {cycle: -exact - 1 - rank for rank, cycle in enumerate(older)}
    moved = new.get(queue.move_request_cycle, queue.move_request_cycle)
    return evolve(queue, move_request_cycle=moved), tuple(
        evolve(retry, cycle=new.get(cycle, cycle)) for retry, cycle in zip(retries, held, strict=True)
    )


def with_few_attempts(setup: Setup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
    """The record with attempts and failures cut to what a rule in force can tell apart, or to the scope's bound."""
    if not setup.queue_is_read:
        return forget_attempts(setup.queue, info, popped)
    most = setup.counted
    if max(_counts(info)) <= most:
        return info
    attempts, rejections, errors = (min(each, most) for each in _counts(info))
    return evolve(info, attempts=attempts, unschedulable_count=rejections, consecutive_errors_count=errors)


def _counts(info: QueuedPodInfo) -> tuple[int, int, int]:
    return info.attempts, info.unschedulable_count, info.consecutive_errors_count


def _few_attempts(setup: Setup, queue: Queue) -> Queue:
    def cut(infos: Infos) -> Infos:
        return tuple(with_few_attempts(setup, info) for info in infos)

    if setup.queue_is_read and queue.pod_backoff:
        entries = tuple(evolve(entry, attempts=min(entry.attempts, setup.counted)) for entry in queue.pod_backoff)
        queue = evolve(queue, pod_backoff=entries)
    if not any(any(_counts(i)) for i in (*queue.active, *queue.backoff, *queue.unschedulable)):
        return queue
    return evolve(queue, active=cut(queue.active), backoff=cut(queue.backoff), unschedulable=cut(queue.unschedulable))


def _without_deadlines(cache: Cache) -> Cache:
    """Assumed pods never expire in this scope: when their binding was finished tells nobody anything."""
    if not any(s.binding_finished or s.deadline is not None for s in cache.pod_states):
        return cache
    states = tuple(evolve(s, binding_finished=False, deadline=None) for s in cache.pod_states)
    return Cache(cache.nodes, states, cache.node_tree, cache.generation)


def _with_deadlines(setup: Setup, cache: Cache, new: dict[int, int]) -> Cache:
    cache = cache if setup.cache_is_read else forget_finished_bindings(cache)
    states = tuple(
        s if s.deadline is None else evolve(s, deadline=new.get(s.deadline, s.deadline)) for s in cache.pod_states
    )
    return Cache(cache.nodes, states, cache.node_tree, cache.generation)


def _small_generations(setup: Setup, cache: Cache, snapshot: CacheSnapshot) -> tuple[Cache, CacheSnapshot]:
    rules: CacheRules = setup.rules
    if setup.scope.keep_snapshot:
        return compress_generations(rules, cache, snapshot, setup.cache_is_read)
    # The next snapshot is taken from nothing, so every NodeInfo is newer, and nobody asks how old this one is.
    if snapshot.generation or any(info.generation for info in snapshot.node_info_map):
        copies = tuple(evolve(info, generation=0) for info in snapshot.node_info_map)
        snapshot = CacheSnapshot(copies, snapshot.node_info_list)
    return compress_generations(rules, cache, CacheSnapshot(), setup.cache_is_read)[0], snapshot
