"""The queue, the cache and the informer's store of a recorded case of cycles, and what others do to them."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from kubeproof.conform.recorded_rules import rules_for
from model.evolve import evolve
from model.objects import Node, Pod
from model.releases import Release
from model.scheduler.cache import cache as scheduler_cache
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot
from model.scheduler.framework.calls import (
    Point,
    Steps,
)
from model.scheduler.framework.status import Code, Status
from model.scheduler.queue import events as queue_events, scheduling_queue as queue
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo
from model.scheduler.queueing_hint_map import OF_EXTENDERS

POINTS: dict[Point, tuple[str, ...]] = {
    "PreFilter": ("PF1", "PF2"),
    "Filter": ("F1", "F2"),
    "PostFilter": ("PoF1", "PoF2"),
    "PreScore": ("PS1",),
    "Score": ("S1",),
    "NormalizeScore": ("S1",),
    "Reserve": ("R1", "R2"),
    "Permit": ("P1", "P2"),
    "PreBind": ("PB1", "PB2"),
    "Bind": ("B1", "DefaultBinder"),
    "PostBind": ("PoB1", "PoB2"),
}
# The points whose plugins are told of events from 1.29 on (`shouldHaveEnqueueExtensions`, framework/runtime).
_TOLD: tuple[Point, ...] = ("PreFilter", "Filter", "Reserve", "Permit")


class Waiting:
    """A binding cycle that waits at Permit."""

    def __init__(self, info: QueuedPodInfo, steps: Steps[int], plugins: Mapping[str, int]) -> None:
        self.info = info
        self.steps = steps
        # The plugins that have not allowed the pod yet, with their timeouts in ms.
        self.pending = dict(plugins)
        # The status with which the wait ends.
        self.decided: Status | None = None

    def allow(self, plugin: str) -> None:
        self.pending.pop(plugin, None)
        if not self.pending and self.decided is None:
            self.decided = Status()

    def reject(self, plugin: str, reason: str) -> None:
        if self.decided is None:
            self.decided = Status(Code.UNSCHEDULABLE, (reason,), plugin)


class RecordedCluster:
    """What the cycles of a case share."""

    # Whether the recorder wrote of a move if it has a check.
    _tells_pre_check = True

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._release, self._config = release, config
        self._hints = bool(config.get("queueing_hints"))
        self._queue_setup = self._queue_setup_of(release, config)
        self._cache_rules = attrs.evolve(rules_for(CacheRules, release), assumed_pod_ttl=lambda: 0)
        self._cache, self._snapshot, self._queue = Cache(), CacheSnapshot(), Queue()
        for node in config["nodes"]:
            _, self._cache = scheduler_cache.add_node(self._cache_rules, self._cache, Node(node["name"], cpu_milli=1))
        self._now = 0
        self._start = 0
        # The informer's store, by name; who has another scheduler; how the pods wait at Permit.
        self._store: dict[str, Pod] = {}
        self._strangers: set[str] = set()
        self._waiting: dict[str, Waiting] = {}
        self._log: list[Any] = []

    def _queue_setup_of(self, release: Release, config: dict[str, Any]) -> QueueSetup:
        without = config.get("without", ())
        told = POINTS if release.minor < 29 else {point: POINTS[point] for point in _TOLD}
        names = dict.fromkeys(name for plugins in told.values() for name in plugins if name not in without)
        registrations = tuple(Registration(name, queue_events.WILD_CARD_EVENT) for name in names)
        if config.get("extenders"):
            registrations += OF_EXTENDERS
        return QueueSetup(
            rules_for(QueueRules, release),
            rules_for(NominatorRules, release),
            QueueConfig(cluster_event_map=registrations),
            rules_for(QueueingHintRules, release),
            self._hints,
        )

    def _pod(self, recorded: dict[str, Any], listed: bool = True) -> Pod:
        pod = Pod(
            recorded["name"],
            recorded["uid"],
            recorded.get("priority", 0),
            node_name=recorded.get("node", ""),
            nominated_node_name=recorded.get("nominated", ""),
            terminating=recorded.get("deleting", False),
        )
        if listed:
            self._store[pod.name] = pod
        if "scheduler_name" in recorded:
            self._strangers.add(pod.name)
        return pod

    def _move(self, event: ClusterEvent, check: Callable[[Pod], bool] | None = None) -> None:
        self._queue = queue.move_all_to_active_or_backoff_queue(self._queue_setup, self._queue, self._now, event, check)
        checked = [check is not None] if self._tells_pre_check else []
        self._log.append(["queue", "MoveAllToActiveOrBackoffQueue", event.label, *checked])

    # --- what others do -----------------------------------------------------------------------------------------------

    def _act(self, action: dict[str, Any]) -> None:
        name, arg = action.get("pod") or "", action.get("arg") or ""
        self._log.append(["action", action["do"], name, arg])
        pod = self._store.get(name)
        waiting = next((each for each in self._waiting.values() if each.info.pod.name == name), None)
        match action["do"]:
            case "allow" if waiting is not None:
                waiting.allow(arg)
            case "reject" if waiting is not None:
                waiting.reject(arg, "rejected by test")
            case "informer_delete":
                self._store.pop(name, None)
            case "delete_event" if pod is not None:
                self._delete(pod)
            case "informer_bound" if pod is not None:
                self._store[name] = evolve(pod, node_name=arg)
            case "informer_recreate" if pod is not None:
                self._store[name] = evolve(pod, uid=arg)
            case "update_event" if pod is not None:
                version = pod.resource_version + 1
                self._update(pod, evolve(pod, labels=(("changed", str(version)),), resource_version=version))
            case "deleting_event" if pod is not None:
                self._update(pod, evolve(pod, terminating=True, resource_version=pod.resource_version + 1))
            case "informer_add_bound_to_cache" if pod is not None:
                self._confirm(evolve(pod, node_name=arg))
            case "node_add":
                self._move(queue_events.NODE_ADD)
            case "remove_node":
                _, self._cache = scheduler_cache.remove_node(self._cache_rules, self._cache, Node(arg))
            case "advance":
                self._now += int(action.get("ms", 0))
                self._queue = queue.flush_backoff_q_completed(self._queue_setup, self._queue, self._now)

    def _delete(self, pod: Pod) -> None:
        """The pod is gone, and its handler hears of this."""
        del self._store[pod.name]
        self._queue = queue.delete(self._queue_setup, self._queue, pod)
        self._log.append(["queue", "Delete", pod.uid, None])
        self._removed(pod)

    def _removed(self, pod: Pod) -> None:
        """The handler of a deleted pod, after the queue has forgotten the pod."""
        waiting = self._waiting.get(pod.uid)
        if waiting is not None:
            waiting.reject("", "removed")
            self._move(queue_events.ASSIGNED_POD_DELETE)

    def _update(self, old: Pod, new: Pod) -> None:
        self._store[new.name] = new
        if not scheduler_cache.is_assumed_pod(self._cache, new):
            self._queue = queue.update(self._queue_setup, self._queue, old, new, self._now, self._store.get)

    def _confirm(self, bound: Pod) -> None:
        """The informer shows the pod bound, and the cache hears of this."""
        self._store[bound.name] = bound
        _, self._cache = scheduler_cache.add_pod(self._cache_rules, self._cache, bound)
        self._queue = queue.assigned_pod_added(self._queue_setup, self._queue, bound, self._now)

    # --- what is left -------------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        state = self._queue
        return {
            "active": sorted(info.pod.uid for info in state.active),
            "backoff": sorted(info.pod.uid for info in state.backoff),
            "unschedulable": sorted(info.pod.uid for info in state.unschedulable),
            "in_flight": sorted(pod.uid for pod in state.in_flight_pods) if self._hints else [],
            "in_flight_events": len(state.in_flight_events) if self._hints else 0,
            "nominated": {node: [pod.uid for pod in pods] for node, pods in state.nominator.nominated_pods},
            "waiting": sorted(self._waiting),
            "cache": {
                each.key: [each.pod.node_name, each.assumed, each.binding_finished] for each in self._cache.pod_states
            },
            "next_start": self._start,
        }
