"""Properties of the cache and of its snapshot: what they say of the cluster."""

from model.evolve import evolve
from model.machine import Action
from model.scheduler.cache.state import find_node_info
from properties.property import Invariant, StepInvariant
from properties.scheduling.view import State, bindings, bound_to, delivered, node_names

# The steps at which a pod is about to be bound.
_BINDING = frozenset({"bind", "bind_by_extender"})


def _counted(state: State, node: str) -> list[str]:
    """The UIDs of pods that take room on the node: bound in the API server, or about to be bound by the scheduler."""
    bound = {pod.uid for pod in bound_to(state, node)}
    waiting = {
        g.pod.uid
        for g in bindings(state)
        if g.pod.node_name == node and g.steps[0] in _BINDING and _still_unbound(state, g.pod.uid)
    }
    return sorted(bound | waiting)


def _asked(state: State, node: str) -> int:
    """The milli-CPU that these pods ask for, by the API server."""
    counted = _counted(state, node)
    return sum(pod.cpu_milli for pod in state.pods if pod is not None and pod.uid in counted)


def _still_unbound(state: State, uid: str) -> bool:
    return any(pod is not None and pod.uid == uid and not pod.node_name for pod in state.pods)


def _overfull(state: State) -> list[str]:
    found = []
    for node in state.nodes:
        if node is not None and _asked(state, node.name) > node.cpu_milli:
            found.append(node.name)
    return found


def within_capacity(state: State) -> bool:
    """Nobody else binds pods here, or takes from a node what is in use there."""
    return bool(state.used.of("other_binders") or state.used.of("node_shrinks")) or not _overfull(state)


def _explain_overfull(state: State) -> str:
    node = _overfull(state)[0]
    return f"{' and '.join(_counted(state, node))} are bound or about to be bound to {node}, which has no room for all"


def _strange(state: State) -> list[str]:
    """How the cache differs from the API server, once every event was delivered."""
    if state.crashed or not delivered(state):
        return []
    busy = {g.pod.uid for g in state.bindings}
    if state.cycle is not None and "delete_nominated_pod" in state.cycle.steps:
        busy.add(state.cycle.pod.uid)  # assumed a moment ago, with its binding to begin (seen with `fine` only)
    known = {s.pod.uid: s.pod.node_name for s in state.cache.pod_states if s.pod.uid not in busy}
    bound = {p.uid: p.node_name for p in state.pods if p is not None and p.node_name and p.uid not in busy}
    found = [
        f"{uid} on {node} is in the cache, and not bound there" for uid, node in known.items() if bound.get(uid) != node
    ]
    found += [
        f"{uid} is bound to {node}, and not so in the cache" for uid, node in bound.items() if known.get(uid) != node
    ]
    nodes = {info.name for info in state.cache.nodes if info.node is not None}
    found += [f"node {name} is in one of cache and API server only" for name in nodes ^ set(node_names(state))]
    return sorted(found)


def cache_is_true(state: State) -> bool:
    return not _strange(state)


def _explain_cache(state: State) -> str:
    return f"everything was delivered, and {_strange(state)[0]}"


def _stale(state: State) -> list[str]:
    """Pods whose object in a NodeInfo is not the informer's object, once every event was delivered."""
    if state.crashed or not delivered(state):
        return []
    found = []
    for pod in state.lister:
        info = None if pod is None else find_node_info(state.cache.nodes, pod.node_name)
        if pod is not None and info is not None:
            found += [p.uid for p in info.pods if p.uid == pod.uid and p.labels != pod.labels]
    return found


def objects_are_current(state: State) -> bool:
    return not _stale(state)


def _explain_stale(state: State) -> str:
    return (
        f"the NodeInfo counts {_stale(state)[0]} with labels that the pod no longer has: affinity is computed from them"
    )


# --- snapshots -------------------------------------------------------------------------------------------------------


def _taken(before: State, action: Action, after: State) -> bool:
    return after.cycle is not None and bool(after.snapshot.node_info_map)


def _differences(after: State) -> list[str]:
    there = {info.name: info for info in after.cache.nodes if info.node is not None}
    names = after.snapshot.node_info_list
    found = [f"{name} is listed {names.count(name)} times" for name in {*names, *there} if names.count(name) != 1]
    for name, info in there.items():
        copy = after.snapshot.get(name)
        if copy is not None and (copy.pods, copy.requested_cpu) != (info.pods, info.requested_cpu):
            found.append(f"{name}'s pods are others than in the cache")
    found += [f"{name} is listed, and gone" for name in set(names) - set(there)]
    return sorted(found)


def snapshot_is_the_cache(before: State, action: Action, after: State) -> bool:
    return not _taken(before, action, after) or not _differences(after)


def _explain_snapshot(before: State, action: Action, after: State) -> str:
    return f"in the snapshot just taken {_differences(after)[0]}"


def _map_differences(after: State) -> list[str]:
    """How the snapshot's map of nodes differs from the cache. A NodeInfo without Node is nobody's node."""
    there = {info.name: info for info in after.cache.nodes if info.node is not None}
    copies = {copy.name: copy for copy in after.snapshot.node_info_map if copy.node is not None}
    found = [f"the map has no NodeInfo of {name}" for name in there.keys() - copies.keys()]
    found += [f"the map has a NodeInfo of {name}, which the cache has not" for name in copies.keys() - there.keys()]
    found += [
        f"the map's NodeInfo of {name} is another than the cache's"
        for name in there.keys() & copies.keys()
        if evolve(copies[name], generation=0) != evolve(there[name], generation=0)
    ]
    return sorted(found)


def snapshot_map_is_the_cache(before: State, action: Action, after: State) -> bool:
    return not _taken(before, action, after) or not _map_differences(after)


def _explain_map(before: State, action: Action, after: State) -> str:
    return f"in the snapshot just taken {_map_differences(after)[0]}"


WITHIN_CAPACITY = Invariant(
    name="within-capacity",
    sentence="The pods bound and being bound to a node never ask for more than it has.",
    broken_by=("ttl_30_seconds", "update_pod_in_cache_by_uid"),
    holds=within_capacity,
    premise=lambda state: any(pod is not None and pod.node_name for pod in state.pods),
    explain=_explain_overfull,
)
CACHE_IS_TRUE = Invariant(
    name="cache-says-what-api-server-says",
    sentence="Once every event was delivered, the cache has the nodes and the bound pods of the API server.",
    broken_by=("last_known_state_is_selected",),
    holds=cache_is_true,
    premise=lambda state: delivered(state) and bool(state.cache.pod_states),
    explain=_explain_cache,
)
CURRENT_OBJECTS = Invariant(
    name="cached-objects-are-current",
    sentence="Once every event was delivered, NodeInfos count pods by the objects that the informer has.",
    broken_by=("confirm_updating_other_node",),
    holds=objects_are_current,
    premise=lambda state: delivered(state) and bool(state.cache.pod_states),
    explain=_explain_stale,
)
SNAPSHOT_IS_CACHE = StepInvariant(
    name="snapshot-equals-cache",
    sentence="A snapshot lists each node once, with the pods that the cache has at that moment.",
    broken_by=("snapshot_taken_once",),
    actions=frozenset({"schedule"}),
    holds=snapshot_is_the_cache,
    premise=_taken,
    explain=_explain_snapshot,
)
SNAPSHOT_MAP_IS_CACHE = StepInvariant(
    name="snapshot-map-equals-cache",
    sentence="The map of a snapshot has the NodeInfos that the cache has at that moment, and no others.",
    broken_by=("snapshot_of_newer_nodes", "snapshot_listing_every_time", "snapshot_counting_cache_nodes"),
    actions=frozenset({"schedule"}),
    holds=snapshot_map_is_the_cache,
    premise=_taken,
    explain=_explain_map,
)


# --- sums ------------------------------------------------------------------------------------------------------------


def _drifted(state: State) -> list[tuple[str, int, int]]:
    """The nodes whose running sum is another one than the sum of their pods' requests: name, sum, requests."""
    if state.crashed:
        return []
    sums = [(info.name, info.requested_cpu, sum(pod.cpu_milli for pod in info.pods)) for info in state.cache.nodes]
    return [(name, kept, asked) for name, kept, asked in sums if kept != asked]


def sums_are_of_pods(state: State) -> bool:
    return not _drifted(state)


def _explain_drift(state: State) -> str:
    name, kept, asked = _drifted(state)[0]
    return f"the cache counts {kept} milli-CPU as requested on {name}, and the pods there ask for {asked}"


REQUESTED_IS_OF_PODS = Invariant(
    name="requested-is-what-pods-ask",
    sentence="In the cache what is requested on a node is the sum of what the pods there ask for.",
    broken_by=("subtract_given",),
    holds=sums_are_of_pods,
    premise=lambda state: any(info.pods for info in state.cache.nodes),
    explain=_explain_drift,
)
