"""One representative for caches and snapshots that no function can tell apart: generations, deadlines, dead fields.

Nothing of it is in Go, where generations and times grow without bound. It touches nothing but its arguments.
"""

from collections.abc import Callable

from model.evolve import evolve
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.nodes import next_generation_of_all
from model.scheduler.cache.snapshot import (
    snapshot_by_equal_generation,
    snapshot_counting_cache_nodes,
    snapshot_counting_tree_nodes,
    snapshot_listing_every_time,
    snapshot_of_newer_nodes,
)
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot, Infos, PodState, find_node_info
from model.which_rule import ask, is_in

# Rules that ask of a generation only whether it is newer than the snapshot's.
COMPARES_NEWER: frozenset[Callable[..., object]] = frozenset(
    {
        snapshot_of_newer_nodes,
        snapshot_listing_every_time,
        snapshot_counting_cache_nodes,
        snapshot_counting_tree_nodes,
    }
)
_COMPARES_NEWER = is_in("take_snapshot", COMPARES_NEWER)
_COMPARES_EQUAL = is_in("take_snapshot", (snapshot_by_equal_generation,))
_COUNTS_ALL = is_in("next_generation", (next_generation_of_all,))


def compress_generations(
    rules: CacheRules, cache: Cache, snapshot: CacheSnapshot, read_by_others: bool = False
) -> tuple[Cache, CacheSnapshot]:
    """`cache` and the only `snapshot` of it with small generations, so that finitely many states are left.

    Why no function can tell, where one counter serves all NodeInfos (`next_generation_of_all`):

    From 1.14 on a generation is read in two places. The walk asks `generation > snapshot.generation`; what comes
    of it depends on that bit alone, and on nothing for a NodeInfo without Node, which the walk skips and which gets
    a new generation together with a Node. Then the newest generation becomes the snapshot's: any number does that
    is not below a NodeInfo's and is below the next one given out. So a NodeInfo's generation is 1 when it is newer
    and has a Node, else 0; the snapshot's is 0, and the last one given out 1.

    1.13 asks whether a NodeInfo's generation is its copy's: copies get 0, a NodeInfo 0 or 1, the counter 1. A
    generation given out later is 2 or more, new to each of them, as in Go.

    `read_by_others`: a rule from outside may read generations as well. Such a rule may compare otherwise, and gets the
    ranks of all generations there are: that keeps each `<` and `==` between them and with later ones. Where NodeInfos
    count for themselves, up to 1.10 or by a rule from outside, sums matter (n steps after it was added anew a node
    meets its copy's generation), so nothing changes; there the scope has to bound how often a node changes.
    """
    if not ask(rules, _COUNTS_ALL):
        return cache, snapshot
    if read_by_others:
        return _by_rank(cache, snapshot)
    if ask(rules, _COMPARES_NEWER):
        nodes = tuple(_with(info, info.generation > snapshot.generation and _has_node(info)) for info in cache.nodes)
        return _with_generations(cache, nodes, 1), _with_copies(snapshot, 0, _all_zero(snapshot.node_info_map))
    if ask(rules, _COMPARES_EQUAL):
        nodes = tuple(_with(info, not _is_copied(info, snapshot)) for info in cache.nodes)
        return _with_generations(cache, nodes, 1), _with_copies(snapshot, 0, _all_zero(snapshot.node_info_map))
    return _by_rank(cache, snapshot)


def _has_node(info: NodeInfo) -> bool:
    return info.node is not None


def _is_copied(info: NodeInfo, snapshot: CacheSnapshot) -> bool:
    copied = find_node_info(snapshot.node_info_map, info.name)
    return copied is not None and copied.generation == info.generation


def _with(info: NodeInfo, generation: int) -> NodeInfo:
    generation = int(generation)
    if info.generation == generation:
        return info
    return NodeInfo(info.name, info.node, info.pods, info.requested_cpu, generation)


def _all_zero(infos: Infos) -> Infos:
    return tuple(_with(info, 0) for info in infos)


def _with_generations(cache: Cache, nodes: Infos, generation: int) -> Cache:
    if generation == cache.generation and all(map(_is, nodes, cache.nodes)):
        return cache
    return evolve(cache, nodes=nodes, generation=generation)


def _with_copies(snapshot: CacheSnapshot, generation: int, infos: Infos) -> CacheSnapshot:
    if generation == snapshot.generation and all(map(_is, infos, snapshot.node_info_map)):
        return snapshot
    return evolve(snapshot, node_info_map=infos, generation=generation)


def _is(one: NodeInfo, other: NodeInfo) -> bool:
    return one is other


def _by_rank(cache: Cache, snapshot: CacheSnapshot) -> tuple[Cache, CacheSnapshot]:
    infos = cache.nodes + snapshot.node_info_map
    # 0 is the generation of a cache that gave out none: it stays the lowest.
    known = sorted({0, cache.generation, snapshot.generation, *(info.generation for info in infos)})
    rank = {generation: i for i, generation in enumerate(known)}
    nodes = tuple(_with(info, rank[info.generation]) for info in cache.nodes)
    copies = tuple(_with(info, rank[info.generation]) for info in snapshot.node_info_map)
    return (
        _with_generations(cache, nodes, rank[cache.generation]),
        _with_copies(snapshot, rank[snapshot.generation], copies),
    )


def shift_times(cache: Cache, ms: int) -> Cache:
    """`cache` as it is seen from a clock whose 0 is `ms` later: deadlines are that much less.

    For systems that keep now = 0. A deadline in the past becomes -1: it is read only by `now > deadline`, `now`
    never goes back, and so every deadline below 0 is one and the same.
    """
    if all(state.deadline is None for state in cache.pod_states):
        return cache
    states = tuple(
        state if state.deadline is None else evolve(state, deadline=max(state.deadline - ms, -1))
        for state in cache.pod_states
    )
    return evolve(cache, pod_states=states)


def forget_finished_bindings(cache: Cache) -> Cache:
    """`cache` without `binding_finished` and `deadline` of pods that are not assumed.

    `finish_binding` and `cleanup_assumed_pods` read and write them of assumed pods only, and a pod becomes assumed with
    a new podState only: they are dead until then. (Recordings show them, so the cache's functions keep them.)
    """
    states = tuple(map(_forgotten, cache.pod_states))
    if states == cache.pod_states:
        return cache
    return evolve(cache, pod_states=states)


def _forgotten(state: PodState) -> PodState:
    if state.assumed or not (state.binding_finished or state.deadline is not None):
        return state
    return PodState(state.key, state.pod)
