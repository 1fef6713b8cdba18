"""One representative of states that no action can tell apart: times, cycle numbers, generations, dead fields.

Every action ends here, so that a system without bounds on attempts and events has finitely many states.
"""

from model.evolve import evolve
from model.scheduler.cache.canonical import compress_generations, forget_finished_bindings
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot
from model.scheduler.queue.scheduling_queue import forget_attempts
from model.scheduler.queue.state import Infos, Queue, shift_cycles
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup
from model.world.goroutines import together
from model.world.times import compressed


def normal(setup: Setup, state: Scheduling) -> Scheduling:
    """The representative of `state`."""
    queue, retries = with_small_cycles(state.queue, state.retries)
    queue = _without_attempts(setup, queue)
    cache, snapshot = state.cache, state.snapshot
    if setup.scope.expiry:
        deadlines = tuple(s.deadline for s in cache.pod_states if s.deadline is not None)
        queue, new = compressed(setup, queue, deadlines)
        cache = _with_deadlines(cache, new)
    else:
        queue, _ = compressed(setup, queue, ())
        cache = _without_deadlines(cache)
    cache, snapshot = _small_generations(setup, _in_name_order(cache), snapshot)
    if len(snapshot.node_info_list) > 1:
        listed = tuple(sorted(snapshot.node_info_list))
        snapshot = CacheSnapshot(snapshot.node_info_map, listed, snapshot.generation)
    return evolve(state, queue=queue, cache=cache, snapshot=snapshot, retries=together(*retries))


def _in_name_order(cache: Cache) -> Cache:
    """The tree's nodes by name, its cursors at the start; a snapshot's list is sorted likewise.

    All nodes are in one zone. There every release lists each node once, wherever the cursors stand, and the cycle
    offers every node that fits: nothing shows in which order nodes joined. (What listings lose when there are several
    zones is for node-listing to find.)
    """
    tree = cache.node_tree
    if len(tree.zones) > 1:
        return cache
    arrays = tuple(NodeArray(tuple(sorted(array.nodes))) for array in tree.tree)
    if arrays == tree.tree and not tree.zone_index:
        return cache
    return Cache(cache.nodes, cache.pod_states, NodeTree(tree.zones, arrays, 0, tree.num_nodes), cache.generation)


def with_small_cycles(queue: Queue, retries: tuple[Goroutine, ...]) -> tuple[Queue, tuple[Goroutine, ...]]:
    """`schedulingCycle` is 0, `moveRequestCycle` 0 or -1, the number that a retry holds 0 or -1.

    All that is asked of them is whether moveRequestCycle >= a number that was schedulingCycle once. It only grows, and
    grows only to schedulingCycle. So once true of a retry that stays true: then it holds -1; until then it holds 0.
    """
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


def _without_attempts(setup: Setup, queue: Queue) -> Queue:
    def cut(infos: Infos) -> Infos:
        return tuple(forget_attempts(setup.queue, info) for info in infos)

    if not any(i.attempts for i in (*queue.active, *queue.backoff, *queue.unschedulable)):
        return queue
    return evolve(queue, active=cut(queue.active), backoff=cut(queue.backoff), unschedulable=cut(queue.unschedulable))


def _without_deadlines(cache: Cache) -> Cache:
    """Assumed pods never expire in this scope: when their binding was finished tells nobody anything."""
    if not any(s.binding_finished or s.deadline is not None for s in cache.pod_states):
        return cache
    states = tuple(evolve(s, binding_finished=False, deadline=None) for s in cache.pod_states)
    return Cache(cache.nodes, states, cache.node_tree, cache.generation)


def _with_deadlines(cache: Cache, new: dict[int, int]) -> Cache:
    cache = forget_finished_bindings(cache)
    states = tuple(
        s if s.deadline is None else evolve(s, deadline=new.get(s.deadline, s.deadline)) for s in cache.pod_states
    )
    return Cache(cache.nodes, states, cache.node_tree, cache.generation)


def _small_generations(setup: Setup, cache: Cache, snapshot: CacheSnapshot) -> tuple[Cache, CacheSnapshot]:
    rules: CacheRules = setup.rules
    if setup.scope.keep_snapshot:
        return compress_generations(rules, cache, snapshot)
    # The next snapshot is taken from nothing, so every NodeInfo is newer, and nobody asks how old this one is.
    if snapshot.generation or any(info.generation for info in snapshot.node_info_map):
        copies = tuple(evolve(info, generation=0) for info in snapshot.node_info_map)
        snapshot = CacheSnapshot(copies, snapshot.node_info_list)
    return compress_generations(rules, cache, CacheSnapshot())[0], snapshot
