"""One representative of states that no action can tell apart: times, cycle numbers, generations, dead fields.

Every action ends here, so that a system without bounds on attempts and events has finitely many states.
"""

from typing import Any

from model.evolve import evolve
from model.scheduler.cache.canonical import compress_generations, forget_finished_bindings
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot
from model.scheduler.calls import Call
from model.scheduler.queue.backoff import forget_attempts
from model.scheduler.queue.state import Infos, Queue, QueuedPodInfo, shift_cycles
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.variables import Bag, touched
from model.world.times import compressed

# The fields of the queue that have records.
SUB_QUEUES = ("active", "backoff", "unschedulable")


def normal(setup: SchedulingSetup, state: Scheduling, before: Scheduling | None = None) -> Scheduling:
    """The representative of `state`.

    A field is dropped, or brought to few values, where no rule of a release can tell. Of what a rule from outside is
    given (`SchedulingSetup.queue_is_read` and so on) nothing is dropped: numbers that only grow are kept up to a bound,
    beyond the bound their order.

    `before`: a representative of which an action has made `state`. What the action did not touch is left alone. None:
    nothing is known of the state.
    """
    changed: dict[str, Any] = {}
    queue, retries, new = _normal_queue(setup, state, before)
    if queue is not state.queue:
        changed["queue"] = queue
    if retries is not state.retries:
        changed["retries"] = retries
    cache = _normal_cache(setup, state, before, new)
    cache, snapshot = _small_generations(setup, state, before, cache)
    if cache is not state.cache:
        changed["cache"] = cache
    if anew(state, before, "snapshot"):
        snapshot = _in_any_order(setup, snapshot)
    if snapshot is not state.snapshot:
        changed["snapshot"] = snapshot
    if anew(state, before, "node_calls") and any(map(_has_generation, state.node_calls)):
        changed["node_calls"] = tuple(map(_without_generation, state.node_calls))
    return evolve(state, **changed) if changed else state


def anew(record: Any, before: Any, *fields: str) -> bool:
    """Whether one of the fields is not known to be in normal form."""
    return before is None or touched(record, before, *fields)


def _normal_queue(
    setup: SchedulingSetup, state: Scheduling, before: Scheduling | None
) -> tuple[Queue, Bag[Goroutine], dict[int, int]]:
    """The queue, the retries, and the new deadlines of the cache for the old ones."""
    queue, retries, last = state.queue, state.retries, None if before is None else before.queue
    exact = setup.counted if setup.queue_is_read else None
    # A retry that is new has its number in normal form, unless a rule from outside may read the number.
    of_retries = exact is not None and anew(state, before, "retries")
    if of_retries or anew(queue, last, "scheduling_cycle", "move_request_cycle"):
        queue, retries = with_small_cycles(queue, retries, exact)
    infos = anew(state.queue, last, *SUB_QUEUES, "pod_backoff")
    if infos:
        queue = _few_attempts(setup, queue)
    new: dict[int, int] = {}
    if setup.scope.expiry:
        if infos or anew(state.cache, None if before is None else before.cache, "pod_states"):
            deadlines = tuple(s.deadline for s in state.cache.pod_states if s.deadline is not None)
            queue, new = compressed(setup, queue, deadlines, setup.queue_is_read)
    elif infos:
        queue, _ = compressed(setup, queue, (), setup.queue_is_read)
    return queue, retries, new


def _have_other_cycles(retries: Bag[Goroutine], moved: int) -> bool:
    return any(retry.cycle != _small_cycle(retry, moved) for retry in retries)


def _small_cycle(retry: Goroutine, moved: int) -> int:
    return -1 if moved >= retry.cycle else 0


def _normal_cache(setup: SchedulingSetup, state: Scheduling, before: Scheduling | None, new: dict[int, int]) -> Cache:
    """The cache, whose generations stay as they are. `new`: the new deadlines for the old."""
    cache, last = state.cache, None if before is None else before.cache
    states = anew(cache, last, "pod_states")
    if setup.scope.expiry:
        if states or new:
            cache = _with_deadlines(setup, cache, new)
    elif states and not setup.cache_is_read:
        cache = without_deadlines(cache)
    if setup.node_order_is_read or setup.scope.node_zones > 1 or not anew(state.cache, last, "node_tree"):
        return cache
    return _in_name_order(cache)


def _in_any_order(setup: SchedulingSetup, snapshot: CacheSnapshot) -> CacheSnapshot:
    """The snapshot with its list by name, where nothing shows the order."""
    if setup.node_order_is_read or len(snapshot.node_info_list) < 2:
        return snapshot
    listed = tuple(sorted(snapshot.node_info_list))
    return snapshot if listed == snapshot.node_info_list else evolve(snapshot, node_info_list=listed)


def _has_generation(call: Call) -> bool:
    return any(isinstance(arg, NodeInfo) and arg.generation for arg in call.args)


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
    return evolve(cache, node_tree=NodeTree(tree.zones, arrays, 0, tree.num_nodes))


def with_small_cycles(queue: Queue, retries: Bag[Goroutine], exact: int | None = None) -> tuple[Queue, Bag[Goroutine]]:
    """`schedulingCycle` is 0, `moveRequestCycle` 0 or -1, the number that a retry holds 0 or -1.

    All that is asked of them is whether moveRequestCycle >= a number that was schedulingCycle once. It only grows, and
    grows only to schedulingCycle. So once true of a retry that stays true: then it holds -1; until then it holds 0.

    With `exact`, all numbers are counted back from schedulingCycle, which is 0: up to so many cycles ago they stay,
    beyond that they keep their order.
    """
    if exact is not None:
        return _counted_back(queue, retries, exact)
    moved, now = queue.move_request_cycle, queue.scheduling_cycle
    if retries.ask(_have_other_cycles, moved):
        retries = Bag.of(*(evolve(retry, cycle=_small_cycle(retry, moved)) for retry in retries))
    if now:
        queue = shift_cycles(queue, now)
    if queue.move_request_cycle < -1:
        queue = evolve(queue, move_request_cycle=-1)
    return queue, retries


def _counted_back(queue: Queue, retries: Bag[Goroutine], exact: int) -> tuple[Queue, Bag[Goroutine]]:
    now = queue.scheduling_cycle
    if now:
        queue = shift_cycles(queue, now)
    held = [retry.cycle - now for retry in retries]
    older = sorted({cycle for cycle in (queue.move_request_cycle, *held) if cycle < -exact}, reverse=True)
    new = {cycle: -exact - 1 - rank for rank, cycle in enumerate(older)}
    if new.get(queue.move_request_cycle, queue.move_request_cycle) != queue.move_request_cycle:
        queue = evolve(queue, move_request_cycle=new[queue.move_request_cycle])
    wanted = [new.get(cycle, cycle) for cycle in held]
    if any(retry.cycle != cycle for retry, cycle in zip(retries, wanted, strict=True)):
        retries = Bag.of(*(evolve(retry, cycle=cycle) for retry, cycle in zip(retries, wanted, strict=True)))
    return queue, retries


def with_few_attempts(setup: SchedulingSetup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
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


def _few_attempts(setup: SchedulingSetup, queue: Queue) -> Queue:
    changed: dict[str, Any] = {}
    if setup.queue_is_read and any(entry.attempts > setup.counted for entry in queue.pod_backoff):
        changed["pod_backoff"] = tuple(
            evolve(entry, attempts=min(entry.attempts, setup.counted)) for entry in queue.pod_backoff
        )
    for name in SUB_QUEUES:
        infos: Infos = getattr(queue, name)
        if any(any(_counts(info)) for info in infos):
            changed[name] = tuple(with_few_attempts(setup, info) for info in infos)
    return evolve(queue, **changed) if changed else queue


def without_deadlines(cache: Cache) -> Cache:
    """Assumed pods never expire in this scope: when their binding was finished tells nobody anything."""
    if not any(s.binding_finished or s.deadline is not None for s in cache.pod_states):
        return cache
    states = tuple(evolve(s, binding_finished=False, deadline=None) for s in cache.pod_states)
    return evolve(cache, pod_states=states)


def _with_deadlines(setup: SchedulingSetup, cache: Cache, new: dict[int, int]) -> Cache:
    cache = cache if setup.cache_is_read else forget_finished_bindings(cache)
    if all(s.deadline is None or new.get(s.deadline, s.deadline) == s.deadline for s in cache.pod_states):
        return cache
    states = tuple(
        s if s.deadline is None else evolve(s, deadline=new.get(s.deadline, s.deadline)) for s in cache.pod_states
    )
    return evolve(cache, pod_states=states)


def _small_generations(
    setup: SchedulingSetup, state: Scheduling, before: Scheduling | None, cache: Cache
) -> tuple[Cache, CacheSnapshot]:
    rules: CacheRules = setup.rules
    snapshot, last = state.snapshot, None if before is None else before.cache
    of_cache = anew(state.cache, last, "nodes", "generation")
    of_snapshot = anew(state, before, "snapshot")
    if setup.scope.keep_snapshot:
        if of_cache or of_snapshot:
            return compress_generations(rules, cache, snapshot, setup.cache_is_read)
        return cache, snapshot
    if of_cache:
        cache, _ = compress_generations(rules, cache, CacheSnapshot(), setup.cache_is_read)
    # The next snapshot is taken from nothing, so every NodeInfo is newer, and nobody asks how old this one is.
    if of_snapshot and (snapshot.generation or any(info.generation for info in snapshot.node_info_map)):
        copies = tuple(evolve(info, generation=0) for info in snapshot.node_info_map)
        snapshot = evolve(snapshot, node_info_map=copies, generation=0)
    return cache, snapshot
