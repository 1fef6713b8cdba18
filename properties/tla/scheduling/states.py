"""States of specs/Scheduling.tla, read into those of model.systems.scheduling. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from model.evolve import evolve
from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.scheduler.cache.state import CORRUPTED, NIL_POINTER, Cache, CacheSnapshot, PodState
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.nominator import Nominator
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup
from model.world.api_server import CPU, NOT_READY, node_name, pod_name
from model.world.events import Listener, NodeEvent, PodEvent, Used
from model.world.goroutines import order
from model.world.users import node_of, priority_of
from properties.tla.scheduling.operators import COPIES_GHOSTS

NONE, NO_NODE = "None", "NoNode"


def decode(setup: Setup, variables: Mapping[str, Any]) -> Scheduling:
    """The machine's state of a TLA+ state, in which uids, ranks and sums are not spelt out."""
    return _Decoder(setup).state(variables)


class _Decoder:
    """Reads with the names and rules of one setup."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        scope = setup.scope
        self.pod_names = [pod_name(at) for at in range(scope.pods)]
        self.node_names = [node_name(at) for at in range(scope.nodes)]

    def state(self, v: Mapping[str, Any]) -> Scheduling:
        return Scheduling(
            pods=tuple(self.pod_or_none(v["pods"][name]) for name in self.pod_names),
            nodes=tuple(self.node_or_none(v["nodes"], name) for name in self.node_names),
            incarnations=tuple(v["incarnations"][name] for name in self.pod_names),
            pod_watch=tuple(PodEvent(e["kind"], self.pod(e["pod"]), e["unknown"]) for e in v["podWatch"]),
            node_watch=tuple(map(self.node_event, v["nodeWatch"])),
            lister=tuple(self.pod_or_none(v["lister"][name]) for name in self.pod_names),
            assigned=self.listener(v["assigned"]),
            unassigned=self.listener(v["unassigned"]),
            node_calls=(),
            queue=self.queue(v["queue"]),
            cache=self.cache(v["cache"]),
            snapshot=self.snapshot(v["snapshot"]),
            cycle=None if v["cycle"] == NONE else self.goroutine(v["cycle"]),
            bindings=self.bag(v["bindings"]),
            retries=self.bag(v["retries"]),
            crashed=_crash(v["crashed"]),
            used=Used(tuple(sorted((power, times) for power, times in v["used"].items() if times))),
        )

    # --- objects

    def node(self, name: str, version: Mapping[str, Any]) -> Node:
        new = node_of(self.setup.scope, self.node_names.index(name))
        return evolve(new, cpu_milli=version["room"] * CPU, unschedulable=version["cordoned"])

    def node_or_none(self, nodes: Any, name: str) -> Node | None:
        versions = dict(_items(nodes))
        return self.node(name, versions[name]) if name in versions else None

    def node_event(self, event: Mapping[str, Any]) -> NodeEvent:
        was, new = self.node(event["node"], event["was"]), self.node(event["node"], event["is"])
        return NodeEvent(event["kind"], new, None if was == new else was)

    def pod_or_none(self, value: Any) -> Pod | None:
        return None if value == NONE else self.pod(value)

    def pod(self, value: Mapping[str, Any]) -> Pod:
        name, incarnation = value["name"], value["inc"]
        if not incarnation:
            return Pod(name, "")
        gpu = (("gpu", "0"),) if value["gpu"] else ()
        return Pod(
            name,
            f"{name}#{incarnation}",
            priority=priority_of(self.setup.scope, self.pod_names.index(name)),
            cpu_milli=value["cpu"] * CPU,
            node_name=_node(value["node"]) or "",
            nominated_node_name=_node(value["nominated"]) or "",
            labels=_counted("app", value["app"]),
            annotations=(*gpu, *_counted("note", value["note"])),
            condition=NOT_READY if value["condition"] else "",
            terminating=value["terminating"],
            finalizers=("example.com/kept",) * value["kept"],
        )

    # --- handlers

    def listener(self, pending: Any) -> Listener:
        return Listener(
            tuple(
                PodNotification(self.pod_or_none(n["old"]), self.pod_or_none(n["new"]), n["unknown"]) for n in pending
            )
        )

    # --- queue

    def queue(self, value: Mapping[str, Any]) -> Queue:
        rules = self.setup.rules
        waiting = dict(_items(value["waiting"]))
        by_cycle = rules.begin_cycle(Queue()).scheduling_cycle > 0

        def place(wanted: str) -> tuple[QueuedPodInfo, ...]:
            infos = (
                # The newest timestamp is -1.
                self.info(each, each["at"] and each["at"] - len(waiting) - 1)
                for each in waiting.values()
                if each["place"] == wanted
            )
            return tuple(sorted(infos, key=rules.active_q_order))

        nominations = value["nominations"]
        return Queue(
            place("active"),
            (),
            place("unschedulable"),
            Nominator(
                tuple(
                    sorted(
                        (_node(node) or "", tuple(map(self.pod, pods))) for node, pods in _items(nominations["pods"])
                    )
                ),
                tuple(sorted((_uid(uid), _node(node) or "") for uid, node in _items(nominations["to"]))),
            ),
            move_request_cycle=0 if by_cycle and value["moved"] else -1,
            received_move_request=value["moved"] and not by_cycle,
        )

    def info(self, value: Mapping[str, Any], timestamp: int = 0) -> QueuedPodInfo:
        return QueuedPodInfo(self.pod(value["pod"]), timestamp, value["attempts"], frozenset(value["plugins"]))

    # --- cache

    def node_infos(self, infos: Any, generation: Callable[[bool], int]) -> Iterator[NodeInfo]:
        for name, info in sorted(_items(infos)):
            by_uid = sorted((_uid(uid), pods) for uid, pods in _items(info["pods"]))
            pods = tuple(self.pod(pod) for _, versions in by_uid for pod in versions)
            node = self.node(name, info["is"]) if info["there"] else None
            requested = sum(pod.cpu_milli for pod in pods)
            yield NodeInfo(name, node, pods, requested, generation(info["there"]))

    def cache(self, value: Mapping[str, Any]) -> Cache:
        states = sorted((_uid(uid), self.pod(s["pod"]), s["assumed"]) for uid, s in _items(value["pods"]))
        nodes = tuple(sorted(name for name, info in _items(value["infos"]) if info["there"]))
        # What the next snapshot, taken from nothing, is to copy.
        copies_ghosts = COPIES_GHOSTS.of(self.setup.rules)
        return Cache(
            tuple(self.node_infos(value["infos"], lambda there: int(there or copies_ghosts))),
            tuple(PodState(key, pod, assumed) for key, pod, assumed in states),
            NodeTree(("",) if nodes else (), (NodeArray(nodes),) if nodes else (), 0, len(nodes)),
            1,
        )

    def snapshot(self, value: Any) -> CacheSnapshot:
        infos = tuple(self.node_infos(value, lambda there: 0))
        return CacheSnapshot(infos, tuple(info.name for info in infos if info.node is not None))

    # --- goroutines

    def goroutine(self, value: Mapping[str, Any]) -> Goroutine:
        return Goroutine(
            value["steps"],
            self.info(value),
            _node(value["node"]),
            tuple(sorted(value["candidates"])),
            tuple(map(_uid, value["victims"])),
            tuple(map(self.pod, value["clear"])),
            frozenset(value["rejectedBy"]),
            -1 if value["moved"] else 0,
        )

    def bag(self, value: Any) -> tuple[Goroutine, ...]:
        each = (self.goroutine(goroutine) for goroutine, times in _items(value) for _ in range(times))
        return tuple(sorted(each, key=order))


def _items(function: Any) -> list[tuple[Any, Any]]:
    """A function's pairs; one without any is printed as the empty sequence."""
    return list(function.items()) if isinstance(function, Mapping) else []


def _node(name: str) -> str | None:
    return {NONE: None, NO_NODE: ""}.get(name, name)


def _uid(uid: tuple[str, int]) -> str:
    return f"{uid[0]}#{uid[1]}" if uid[1] else ""


def _counted(key: str, times: int) -> tuple[tuple[str, str], ...]:
    return ((key, str(times)),) if times else ()


def _crash(crashed: tuple[str, ...]) -> str:
    if not crashed:
        return ""
    where, how = crashed
    outcome = NIL_POINTER if how == "panic" else CORRUPTED
    return f"{where}: {outcome.panic or 'the cache is corrupted'}"
