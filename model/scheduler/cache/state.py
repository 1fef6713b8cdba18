"""The scheduler cache's state, how its functions end, and look-ups in it. Touches nothing but its arguments.

Go: `schedulerCache` (`cacheImpl` from 1.24), `podState` in pkg/scheduler/internal/cache/cache.go, from 1.32 on
pkg/scheduler/backend/cache/cache.go. `schedulerCache.mu` guards all of it. Left out: image states; the states of pod
groups (1.36, with the gate GenericWorkload); and the doubly linked list of NodeInfos (1.14 on),
which is their order by generation, newest first: an item moves to the head whenever its generation is bumped.
"""

from collections.abc import Callable

from attrs import frozen

from model.evolve import evolve
from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeTree, NodeTreeRules
from model.variables import apart

Infos = tuple[NodeInfo, ...]


@frozen
class Outcome:
    """How a function of the cache ended. Go's `nil` is `OK`. If the process ended, the cache is as before."""

    # The error text, or None.
    error: str | None = None
    # The process ended because the cache is corrupted (klog.Fatalf up to 1.22, os.Exit(1) or klog.FlushAndExit from
    # 1.23 on).
    fatal: bool = False
    # The runtime's text of an uncaught panic, which ends the process too; or None.
    panic: str | None = None

    @property
    def ends_process(self) -> bool:
        return self.fatal or self.panic is not None


OK = Outcome()
CORRUPTED = Outcome(fatal=True)
NIL_POINTER = Outcome(panic="runtime error: invalid memory address or nil pointer dereference")


@frozen(cache_hash=True)
class PodState:
    """An entry of `podStates`."""

    # The uid that the entry is filed under. Up to 1.23 an update may put another pod there.
    key: str
    pod: Pod
    # Whether the key is in `assumedPods`, which is always a part of `podStates`.
    assumed: bool = False
    # Whether FinishBinding was called.
    binding_finished: bool = False
    # In ms: the assumed pod expires once `now` is later. None: no deadline is set, or the pod never expires.
    deadline: int | None = None


@apart
@frozen(cache_hash=True)
class Cache:
    """The cache: NodeInfos, podStates, the node tree."""

    # NodeInfos sorted by name, ghosts among them.
    nodes: tuple[NodeInfo, ...] = ()
    # Sorted by key.
    pod_states: tuple[PodState, ...] = ()
    node_tree: NodeTree = NodeTree()
    # The last number that the process-wide counter gave out.
    generation: int = 0


@apart
@frozen(cache_hash=True)
class CacheSnapshot:
    """What scheduling cycles see until the next update."""

    # Copies of NodeInfos, sorted by name. A copy's own generation is read in 1.13 only.
    node_info_map: Infos = ()
    # Names in listing order. Each is an entry of the map (Go's list points into the map). Only up to 1.16, where the
    # list is what `Next` answers, a name may have no entry.
    node_info_list: tuple[str, ...] = ()
    # The generation of the newest NodeInfo seen.
    generation: int = 0

    def get(self, name: str) -> NodeInfo | None:
        """The NodeInfo of `name`, or None (`nodeInfoMap[name]`; `NodeInfos().Get` answers an error then)."""
        return find_node_info(self.node_info_map, name)

    def listed(self) -> tuple[NodeInfo | None, ...]:
        """The NodeInfos in listing order; None (up to 1.16) for a name that the map has not."""
        return tuple(find_node_info(self.node_info_map, name) for name in self.node_info_list)


@frozen
class SnapshotUpdate:
    """How an update may end: the error text or None, the cache (its tree's cursors move) and the snapshot."""

    error: str | None
    cache: Cache
    snapshot: CacheSnapshot


Result = tuple[Outcome, Cache]


@frozen(slots=False, kw_only=True)
class CacheRules(NodeTreeRules):
    """What releases do differently in the cache, and where a proposed fix takes hold. The tree's rules are part of it.

    Every rule runs within one hold of `schedulerCache.mu`.
    """

    # How long, in ms, an assumed pod whose binding is finished may wait for its Add event. Go: the scheduler passes
    # durationToExpireAssumedPod to the cache.
    assumed_pod_ttl: Callable[[], int]
    # (now, ttl) -> when an assumed pod expires, in ms; None for never. Go: FinishBinding.
    binding_deadline: Callable[[int, int], int | None]
    # (the number given out last, the NodeInfo's own) -> the NodeInfo's next generation. Go: nextGeneration.
    next_generation: Callable[[int, int], int]
    # (rules, cache, the podState of an assumed pod, now) -> the cache once the pod is bound. Go: FinishBinding.
    mark_finished_binding: "Callable[[CacheRules, Cache, PodState, int], Cache]"
    # Go: ForgetPod.
    forget_assumed_pod: "Callable[[CacheRules, Cache, Pod], Result]"
    # (the pod that is counted, the pod that the removal was given) -> the one whose request is subtracted.
    # Go: NodeInfo.RemovePod.
    subtracted_pod: Callable[[Pod, Pod], Pod]
    # How error texts name a pod.
    cached_pod_text: Callable[[Pod], str]
    # Takes a pod off its NodeInfo; podStates stay as they are. Go: removePod.
    remove_pod_from_node: "Callable[[CacheRules, Cache, Pod], Result]"
    # (old pod, new pod): replaces a pod on its NodeInfo; podStates stay as they are. Go: updatePod.
    update_pod_on_node: "Callable[[CacheRules, Cache, Pod, Pod], Result]"
    # What AddPod does with a pod that is assumed.
    confirm_assumed_pod: "Callable[[CacheRules, Cache, PodState, Pod], Result]"
    # Go: UpdatePod.
    update_added_pod: "Callable[[CacheRules, Cache, Pod, Pod], Result]"
    # Go: RemovePod.
    remove_known_pod: "Callable[[CacheRules, Cache, Pod], Result]"
    # (old node, new node). Go: UpdateNode.
    update_known_node: "Callable[[CacheRules, Cache, Node, Node], Cache]"
    # Go: RemoveNode.
    remove_known_node: "Callable[[CacheRules, Cache, Node], Result]"
    # Every way in which UpdateSnapshot may end.
    take_snapshot: "Callable[[CacheRules, Cache, CacheSnapshot], tuple[SnapshotUpdate, ...]]"


def find_node_info(infos: tuple[NodeInfo, ...], name: str) -> NodeInfo | None:
    """The NodeInfo of `name` in a cache's `nodes` or a snapshot's `node_info_map`, or None."""
    for info in infos:
        if info.name == name:
            return info
    return None


def find_pod_state(cache: Cache, key: str) -> PodState | None:
    """The podState filed under the uid `key`, or None."""
    for state in cache.pod_states:
        if state.key == key:
            return state
    return None


def put_node_info(infos: tuple[NodeInfo, ...], info: NodeInfo) -> tuple[NodeInfo, ...]:
    """`infos` with `info` in place of the one of its name, or where it belongs."""
    at = 0
    while at < len(infos) and infos[at].name < info.name:
        at += 1
    rest = at + 1 if at < len(infos) and infos[at].name == info.name else at
    return (*infos[:at], info, *infos[rest:])


def drop_node_info(infos: tuple[NodeInfo, ...], name: str) -> tuple[NodeInfo, ...]:
    """`infos` without the one of that name."""
    return tuple(info for info in infos if info.name != name)


def with_nodes(cache: Cache, nodes: tuple[NodeInfo, ...], generation: int) -> Cache:
    """`cache` with these NodeInfos; `generation` was given out for one of them."""
    return evolve(cache, nodes=nodes, generation=max(cache.generation, generation))


def put_pod_state(cache: Cache, state: PodState) -> Cache:
    """`cache` with `state` in place of the one of its key, or where it belongs."""
    states = cache.pod_states
    at = 0
    while at < len(states) and states[at].key < state.key:
        at += 1
    rest = at + 1 if at < len(states) and states[at].key == state.key else at
    return evolve(cache, pod_states=(*states[:at], state, *states[rest:]))


def drop_pod_state(cache: Cache, key: str) -> Cache:
    """`cache` without the pod of that key, in `podStates` and in `assumedPods`."""
    states = tuple(state for state in cache.pod_states if state.key != key)
    return evolve(cache, pod_states=states)
