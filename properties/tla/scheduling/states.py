"""States of specs/Scheduling.tla, read into those of model.systems.scheduling. Pure."""

from collections.abc import Mapping
from typing import Any

from model.evolve import evolve
from model.objects import Node
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.queue.backoff import failure_is_counted
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.hints import gate_stays_on
from model.scheduler.queue.nominator import Nominator
from model.scheduler.queue.state import BackoffEntry, Queue, QueuedPodInfo
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.variables import Bag, Channel, Places
from model.world.api_server import CPU, node_name, pod_name
from model.world.events import NodeEvent
from model.world.users import node_of, priority_of
from properties.tla.objects import NONE, InFlightDecoder, ObjectsDecoder, crash_of, items, node_or_none, uid_of, used_of
from properties.tla.scheduling.hints import EVENTS
from properties.tla.scheduling.operators import COPIES_GHOSTS


def decode(setup: SchedulingSetup, variables: Mapping[str, Any]) -> Scheduling:
    """The machine's state of a TLA+ state, in which uids, ranks and sums are not spelt out."""
    with_hints = setup.rules.hints_stay_on is gate_stays_on
    return (HintedDecoder if with_hints else Decoder)(setup).state(variables)


class Decoder(ObjectsDecoder):
    """Reads with the names and rules of one setup."""

    def __init__(self, setup: SchedulingSetup) -> None:
        self.setup = setup
        scope = setup.scope
        self.pod_names = [pod_name(at) for at in range(scope.pods)]
        self.node_names = [node_name(at) for at in range(scope.nodes)]

    def state(self, v: Mapping[str, Any]) -> Scheduling:
        return Scheduling(
            pods=Places(self.pod_or_none(v["pods"][name]) for name in self.pod_names),
            nodes=Places(self.node_or_none(v["nodes"], name) for name in self.node_names),
            incarnations=Places(v["incarnations"][name] for name in self.pod_names),
            pod_watch=Channel(map(self.pod_event, v["podWatch"])),
            node_watch=Channel(map(self.node_event, v["nodeWatch"])),
            lister=Places(self.pod_or_none(v["lister"][name]) for name in self.pod_names),
            assigned=self.listener(v["assigned"]),
            unassigned=self.listener(v["unassigned"]),
            handler=self.listener(v.get("handler", ())),
            node_calls=(),
            queue=self.queue(v["queue"]),
            cache=self.cache(v["cache"], COPIES_GHOSTS.of(self.setup.rules)),
            snapshot=self.snapshot(v["snapshot"]),
            cycle=None if v["cycle"] == NONE else self.goroutine(v["cycle"]),
            bindings=self.bag(v["bindings"]),
            retries=self.bag(v["retries"]),
            crashed=crash_of(v["crashed"]),
            used=used_of(v["used"]),
        )

    # --- objects

    def priority(self, name: str) -> int:
        return priority_of(self.setup.scope, self.pod_names.index(name))

    def node(self, name: str, version: Mapping[str, Any]) -> Node:
        new = node_of(self.setup.scope, self.node_names.index(name))
        return evolve(new, cpu_milli=version["room"] * CPU, unschedulable=version["cordoned"])

    def node_or_none(self, nodes: Any, name: str) -> Node | None:
        versions = dict(items(nodes))
        return self.node(name, versions[name]) if name in versions else None

    def node_event(self, event: Mapping[str, Any]) -> NodeEvent:
        was, new = self.node(event["node"], event["was"]), self.node(event["node"], event["is"])
        return NodeEvent(event["kind"], new, None if was == new else was)

    # --- queue

    def queue(self, value: Mapping[str, Any]) -> Queue:
        rules = self.setup.rules
        waiting = dict(items(value["waiting"]))
        by_cycle = rules.begin_cycle(Queue()).scheduling_cycle > 0

        def place(wanted: str) -> tuple[QueuedPodInfo, ...]:
            infos = (
                self.queued(each, self.timestamp(each["at"], len(waiting)))
                for each in waiting.values()
                if each["place"] == wanted
            )
            return tuple(sorted(infos, key=rules.active_q_order))

        nominations = value["nominations"]
        return Queue(
            place("active"),
            place("backoff"),
            place("unschedulable"),
            Nominator(
                tuple(
                    sorted(
                        (node_or_none(node) or "", tuple(map(self.pod, pods)))
                        for node, pods in items(nominations["pods"])
                    )
                ),
                tuple(sorted((uid_of(uid), node_or_none(node) or "") for uid, node in items(nominations["to"]))),
            ),
            pod_backoff=tuple(
                sorted(
                    (
                        BackoffEntry(name, each["attempts"], each["at"])
                        for name, each in items(value.get("backoffs", ()))
                    ),
                    key=lambda entry: entry.name,
                )
            ),
            move_request_cycle=0 if by_cycle and value["moved"] else -1,
            received_move_request=value["moved"] and not by_cycle,
        )

    def timestamp(self, at: int, waiting: int) -> int:
        """With the clock a time, without it a rank among so many that wait: the newest timestamp is -1."""
        return at if self.setup.scope.clock else at and at - waiting - 1

    def info(self, value: Mapping[str, Any], timestamp: int = 0) -> QueuedPodInfo:
        return QueuedPodInfo(self.pod(value["pod"]), timestamp, value["attempts"], frozenset(value["plugins"]))

    def queued(self, value: Mapping[str, Any], timestamp: int) -> QueuedPodInfo:
        """The record of a pod that waits."""
        return self.info(value, timestamp)

    # --- cache

    def snapshot(self, value: Any) -> CacheSnapshot:
        infos = tuple(self.node_infos(value, lambda there: 0))
        return CacheSnapshot(infos, tuple(info.name for info in infos if info.node is not None))

    # --- goroutines

    def goroutine(self, value: Mapping[str, Any]) -> Goroutine:
        return Goroutine(
            value["steps"],
            self.info(value),
            node_or_none(value["node"]),
            tuple(sorted(value["candidates"])),
            tuple(map(uid_of, value["victims"])),
            tuple(map(self.pod, value["clear"])),
            frozenset(value["rejectedBy"]),
            -1 if value["moved"] else 0,
            self.pod_or_none(value["atHand"]),
        )

    def bag(self, value: Any) -> Bag[Goroutine]:
        each = (self.goroutine(goroutine) for goroutine, times in items(value) for _ in range(times))
        return Bag.of(*each)


class HintedDecoder(InFlightDecoder, Decoder):
    """Reads the states of specs/MCSchedulingWithHints.tla besides: from 1.32 on."""

    def queue(self, value: Mapping[str, Any]) -> Queue:
        queue = super().queue(value)
        return evolve(
            queue,
            in_flight_pods=self.in_flight(value),
            in_flight_events=tuple(map(self.element, value["events"])),
        )

    def event_named(self, name: str) -> ClusterEvent:
        return EVENTS[name]

    def object_of_event(self, value: Any) -> Any:
        """A pod, or a node as QueueWithHints.tla has it."""
        if isinstance(value, Mapping) and "room" in value:
            return self.node(value["node"], value)
        return super().object_of_event(value)

    def info(self, value: Mapping[str, Any], timestamp: int = 0) -> QueuedPodInfo:
        """The record of a pod. From 1.34 on no attempts are counted."""
        found = super().info(value, timestamp)
        return evolve(found, attempts=0) if self._counts_failures else found

    def queued(self, value: Mapping[str, Any], timestamp: int) -> QueuedPodInfo:
        """The record of a pod that waits: a pod that was tried has failed."""
        failures = value["attempts"] if self._counts_failures else 0
        return evolve(super().queued(value, timestamp), unschedulable_count=failures)

    @property
    def _counts_failures(self) -> bool:
        return self.setup.rules.count_failure is failure_is_counted
