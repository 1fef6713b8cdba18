"""Plays recordings of `cache` (Go: cache.go) on `model.scheduler.cache.cache`."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict

from attrs import evolve

from kubeproof.conform.node_tree import zone_key
from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model import releases
from model.objects import Node, Pod
from model.releases import Release
from model.scheduler.cache import assumed, cache as scheduler_cache
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot, PodState, Result, SnapshotUpdate
from properties.forms import Forms

# Recorded podStates say whether a binding is finished, in the releases that know.
MARKS_BINDINGS = Forms("mark_finished_binding", {assumed.mark_with_deadline: True, assumed.no_mark: False})


class Config(TypedDict):
    ttl_ms: int


class RecordedNode(TypedDict):
    name: str
    zone: str
    cpu_milli: int


class RecordedPod(TypedDict):
    uid: str
    cpu_milli: int
    node: str


class OfNode(TypedDict):
    node: RecordedNode


class UpdateNode(OfNode):
    old_node: RecordedNode


class OfPod(TypedDict):
    pod: RecordedPod


class UpdatePod(OfPod):
    old_pod: RecordedPod


class Expire(TypedDict):
    now: int


class FinishBinding(OfPod):
    now: int


class CachePlayer:
    """One case: a cache and a snapshot that start empty, under the rules of the recorded release.

    `config["ttl_ms"]` takes the place of the release's own ttl of assumed pods.
    """

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        **dict.fromkeys(("add_node", "remove_node"), OfNode),
        "update_node": UpdateNode,
        **dict.fromkeys(("assume_pod", "forget_pod", "add_pod", "remove_pod"), OfPod),
        "finish_binding": FinishBinding,
        "update_pod": UpdatePod,
        "expire": Expire,
        "update_snapshot": Bare,
    }

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        ttl = int(config["ttl_ms"])
        self._rules = evolve(rules_for(CacheRules, release), assumed_pod_ttl=lambda: ttl)
        # The form of a recording is that of its release, whatever rule is replaced.
        self._marks = MARKS_BINDINGS.of(releases.rules_for(CacheRules, release))
        self._cache = Cache()
        self._snapshot = CacheSnapshot()

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        if op["op"] == "update_snapshot":
            return self._update_snapshot()
        outcome, self._cache = self._apply(op)
        if outcome.panic is not None:
            return {"panic": outcome.panic}
        observed = {"error": outcome.error, **self._observed_pods()}
        return observed | {"fatal": True} if outcome.fatal else observed

    def _apply(self, op: dict[str, Any]) -> Result:
        rules, cache = self._rules, self._cache
        if op["op"] in ("finish_binding", "expire") and not self._marks:
            raise ValueError("assumed pods do not expire in this release, and no binding is marked")
        match op["op"]:
            case "add_node":
                return scheduler_cache.add_node(rules, cache, _node(op["node"]))
            case "update_node":
                return scheduler_cache.update_node(rules, cache, _node(op["old_node"]), _node(op["node"]))
            case "remove_node":
                return scheduler_cache.remove_node(rules, cache, _node(op["node"]))
            case "assume_pod":
                return scheduler_cache.assume_pod(rules, cache, _pod(op["pod"]))
            case "finish_binding":
                return scheduler_cache.finish_binding(rules, cache, _pod(op["pod"]), op["now"])
            case "forget_pod":
                return scheduler_cache.forget_pod(rules, cache, _pod(op["pod"]))
            case "add_pod":
                return scheduler_cache.add_pod(rules, cache, _pod(op["pod"]))
            case "update_pod":
                return scheduler_cache.update_pod(rules, cache, _pod(op["old_pod"]), _pod(op["pod"]))
            case "remove_pod":
                return scheduler_cache.remove_pod(rules, cache, _pod(op["pod"]))
            case "expire":
                return scheduler_cache.cleanup_assumed_pods(rules, cache, op["now"])
            case unknown:
                raise ValueError(f"'{unknown}'")

    def _update_snapshot(self) -> dict[str, Any]:
        updates = scheduler_cache.update_snapshot(self._rules, self._cache, self._snapshot)
        if len(updates) > 1:
            # Recorded cases end before an operation that depends on the order of a Go map.
            raise ValueError(f"update_snapshot may end in {len(updates)} ways")
        (update,) = updates
        self._cache, self._snapshot = update.cache, update.snapshot
        return {"error": update.error, **self._observed_pods(), **_observed_snapshot(update)}

    def _observed_pods(self) -> dict[str, Any]:
        states = self._cache.pod_states
        return {
            "pod_states": {each.key: [each.pod.node_name, *self._mark(each)] for each in states},
            "assumed": [each.key for each in states if each.assumed],
        }

    def _mark(self, state: PodState) -> tuple[bool, int | None] | tuple[None, None]:
        return (state.binding_finished, state.deadline) if self._marks else (None, None)


def _node(recorded: dict[str, Any]) -> Node:
    return Node(recorded["name"], zone_key(recorded["zone"]), recorded["cpu_milli"])


def _pod(recorded: dict[str, Any]) -> Pod:
    return Pod(recorded["uid"], recorded["uid"], cpu_milli=recorded["cpu_milli"], node_name=recorded["node"])


def _observed_snapshot(update: SnapshotUpdate) -> dict[str, Any]:
    cache, snapshot = update.cache, update.snapshot
    listed = zip(snapshot.node_info_list, snapshot.listed(), strict=True)
    return {
        "snapshot": [[name, *(_counted(info) if info is not None else ([], -1))] for name, info in listed],
        "snapshot_map": [info.name for info in snapshot.node_info_map],
        "cache_nodes": {info.name: [info.node is not None, *_counted(info)] for info in cache.nodes},
        "num_nodes": cache.node_tree.num_nodes,
    }


def _counted(info: NodeInfo) -> tuple[list[str], int]:
    return [pod.uid for pod in info.pods], info.requested_cpu
