"""The scheduler's snapshot of its cache: NodeInfos of all nodes with their pods, updated by generation.

Go: `UpdateNodeNameToInfoMap` (1.13), `UpdateNodeInfoSnapshot` (1.14 to 1.17), `UpdateSnapshot`,
`removeDeletedNodesFromSnapshot`, `updateNodeInfoSnapshotList` (1.18 to 1.31) in
pkg/scheduler/internal/cache/cache.go. Each function here is one hold of `schedulerCache.mu`. It touches nothing but
its arguments. node_list.py is the same for nodes without pods.

Left out: havePodsWithAffinityNodeInfoList and the like, filters of `node_info_list` that Go keeps so: they are built
anew whenever the list is, and whenever a NodeInfo changes sides.
"""

from itertools import combinations

from model.evolve import evolve
from model.go.errors import met_error
from model.go.formats import quote
from model.scheduler.cache.node_list import not_consistent
from model.scheduler.cache.node_tree import NodeTree
from model.scheduler.cache.state import (
    Cache,
    CacheRules,
    CacheSnapshot,
    Infos,
    SnapshotUpdate,
    drop_node_info,
    find_node_info,
    put_node_info,
)


def _list_tree(rules: CacheRules, cache: Cache) -> tuple[tuple[str, ...], Cache]:
    names, tree = rules.list_nodes(cache.node_tree)
    return names, (cache if tree is cache.node_tree else _with_tree(cache, tree))


def _with_tree(cache: Cache, tree: NodeTree) -> Cache:
    return evolve(cache, node_tree=tree)


def _in_map(names: tuple[str, ...], infos: Infos) -> tuple[str, ...]:
    """Names that the map has; Go logs `exist in nodeTree but not in NodeInfoMap` for the others."""
    known = {info.name for info in infos}
    for name in names:
        if name not in known:
            text = f"node {quote(name)} exist in nodeTree but not in NodeInfoMap, this should not happen."
            met_error("updateNodeInfoSnapshotList", text, name)
    return tuple(name for name in names if name in known)


def _copy_newer(cache: Cache, snapshot: CacheSnapshot) -> tuple[Infos, int]:
    """The map with each NodeInfo that is newer than the snapshot and has a Node, and the newest generation.

    Go walks the list of NodeInfos from the newest on and stops at the first that is not newer.
    """
    infos = snapshot.node_info_map
    newest = snapshot.generation if not cache.nodes else max(info.generation for info in cache.nodes)
    if newest > snapshot.generation:
        for info in cache.nodes:
            if info.generation > snapshot.generation and info.node is not None:
                infos = put_node_info(infos, info)
    return infos, newest


def _without_unknown(infos: Infos, cache: Cache) -> Infos:
    known = {info.name for info in cache.nodes}
    return tuple(info for info in infos if info.name in known)


def snapshot_by_equal_generation(
    rules: CacheRules, cache: Cache, snapshot: CacheSnapshot
) -> tuple[SnapshotUpdate, ...]:
    """Each NodeInfo, ghosts too, whose generation is not the copy's (`UpdateNodeNameToInfoMap`; 1.13).

    The listing is not Go's: there `findNodesThatFit` calls `Next` itself, without `schedulerCache.mu`, at most
    `NumNodes` times in a cycle. Here, up to 1.16, a cycle looks at every node and lists them when it begins.
    """
    infos = snapshot.node_info_map
    for info in cache.nodes:
        copied = find_node_info(infos, info.name)
        if copied is None or copied.generation != info.generation:
            infos = put_node_info(infos, info)
    infos = _without_unknown(infos, cache)
    names, cache = _list_tree(rules, cache)
    return (SnapshotUpdate(None, cache, CacheSnapshot(infos, names)),)


def snapshot_of_newer_nodes(rules: CacheRules, cache: Cache, snapshot: CacheSnapshot) -> tuple[SnapshotUpdate, ...]:
    """NodeInfos newer than the snapshot (`UpdateNodeInfoSnapshot`; 1.14 to 1.16). Listing: see 1.13's."""
    infos, newest = _copy_newer(cache, snapshot)
    if len(infos) > len(cache.nodes):
        infos = _without_unknown(infos, cache)
    names, cache = _list_tree(rules, cache)
    return (SnapshotUpdate(None, cache, CacheSnapshot(infos, names, newest)),)


def snapshot_listing_every_time(rules: CacheRules, cache: Cache, snapshot: CacheSnapshot) -> tuple[SnapshotUpdate, ...]:
    """NodeInfos newer than the snapshot, and the list anew from the tree (`UpdateNodeInfoSnapshot`; 1.17, #84014)."""
    infos, newest = _copy_newer(cache, snapshot)
    if len(infos) > len(cache.nodes):
        infos = _without_unknown(infos, cache)
    names, cache = _list_tree(rules, cache)
    return (SnapshotUpdate(None, cache, CacheSnapshot(infos, _in_map(names, infos), newest)),)


def snapshot_counting_cache_nodes(
    rules: CacheRules, cache: Cache, snapshot: CacheSnapshot
) -> tuple[SnapshotUpdate, ...]:
    """The list anew only when nodes came or went; gone are those that the cache has no NodeInfo of.

    `UpdateSnapshot`; 1.18 and 1.19 (#85738). SNAP-GHOST-COUNT: with ghosts (1.18.9, 1.19.0 to 1.19.2) a removed node
    stays in the map, and the map is no longer than the cache, so nothing is removed.
    """
    kept = {info.name for info in cache.nodes}
    return _update_snapshot(rules, cache, snapshot, len(cache.nodes), kept)


def snapshot_counting_tree_nodes(
    rules: CacheRules, cache: Cache, snapshot: CacheSnapshot
) -> tuple[SnapshotUpdate, ...]:
    """The list anew only when nodes came or went; gone are those without Node too.

    `UpdateSnapshot`; 1.18.10, 1.19.3, 1.20 to 1.31 (#95130).
    """
    kept = {info.name for info in cache.nodes if info.node is not None}
    return _update_snapshot(rules, cache, snapshot, cache.node_tree.num_nodes, kept)


def _update_snapshot(
    rules: CacheRules, cache: Cache, snapshot: CacheSnapshot, count: int, kept: set[str]
) -> tuple[SnapshotUpdate, ...]:
    """`UpdateSnapshot` where a map longer than `count` loses names that are not `kept`.

    Of more stale names than the map is too long Go deletes those that come first in map order: any of them.
    """
    infos, newest = _copy_newer(cache, snapshot)
    to_delete = len(infos) - count
    # A name in neither map before the walk came with a node that was added.
    update_all = to_delete > 0 or len(infos) > len(snapshot.node_info_map)
    stale = [info.name for info in infos if info.name not in kept] if to_delete > 0 else []
    outcomes = []
    for deleted in combinations(stale, min(max(to_delete, 0), len(stale))):
        left = infos
        for name in deleted:
            left = drop_node_info(left, name)
        outcomes.append(_finish_update(rules, cache, snapshot, left, newest, update_all))
    return tuple(outcomes)


def _finish_update(
    rules: CacheRules, cache: Cache, snapshot: CacheSnapshot, infos: Infos, newest: int, update_all: bool
) -> SnapshotUpdate:
    listed = snapshot.node_info_list
    if update_all:
        names, cache = _list_tree(rules, cache)
        listed = _in_map(names, infos)
    if len(listed) == cache.node_tree.num_nodes:
        return SnapshotUpdate(None, cache, CacheSnapshot(infos, listed, newest))
    error = not_consistent(len(listed), cache.node_tree.num_nodes, len(infos), len(cache.nodes))
    names, cache = _list_tree(rules, cache)
    return SnapshotUpdate(error, cache, CacheSnapshot(infos, _in_map(names, infos), newest))
