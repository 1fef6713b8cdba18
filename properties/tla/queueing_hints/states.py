"""States of specs/QueueingHints.tla, read into those of model.systems.queueing_hints. Pure."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from model.scheduler.calls import FUNCTIONS, Call, Component, move_all
from model.scheduler.queue.backoff import failure_is_counted
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.scheduler.queue.update_with_hints import UNSCHEDULABLE_POD_TOLERATION_CHANGE, update_until_moved
from model.systems.queueing_hints.plugins import UNREADABLE
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import PLUGINS, HintsSetup
from model.variables import Bag, Channel, Places
from model.world.api_server import pod_name
from properties.tla.objects import NONE, InFlightDecoder, crash_of, items, uid_of, used_of
from properties.tla.queueing_hints.operators import EVENTS, OBJECT, TOLERATIONS
from properties.tla.scheduling.operators import COPIES_GHOSTS


def decode(setup: HintsSetup, variables: Mapping[str, Any]) -> QueueingHints:
    """The machine's state of a TLA+ state, in which uids, ranks and sums are not spelt out."""
    return _Decoder(setup).state(variables)


class _Decoder(InFlightDecoder):
    """Reads with the names and rules of one setup."""

    def __init__(self, setup: HintsSetup) -> None:
        self.setup = setup
        self.pod_names = [pod_name(at) for at in range(setup.scope.pods)]

    def state(self, v: Mapping[str, Any]) -> QueueingHints:
        plugins = PLUGINS[: self.setup.scope.plugins]
        return QueueingHints(
            pods=Places(self.pod_or_none(v["pods"][name]) for name in self.pod_names),
            incarnations=Places(v["incarnations"][name] for name in self.pod_names),
            pod_watch=Channel(map(self.pod_event, v["podWatch"])),
            lister=Places(self.pod_or_none(v["lister"][name]) for name in self.pod_names),
            **{
                name: evolve(self.listener(v[name]), calls=tuple(map(self.call, v["calls"][name])))
                for name in ("assigned", "unassigned", "handler")
            },
            other=self.pod_or_none(v["otherPod"]),
            conditions=Places(plugin in v["conditions"] for plugin, _ in plugins),
            unallocated=v["unallocated"],
            queue=self.queue(v["queue"]),
            cache=self.cache(v["cache"], COPIES_GHOSTS.of(self.setup.rules)),
            cycle=None if v["cycle"] == NONE else self.goroutine(v["cycle"]),
            bindings=Bag.of(*(self.goroutine(g) for g, times in items(v["bindings"]) for _ in range(times))),
            sleeps=v["sleeps"],
            crashed=crash_of(v["crashed"]),
            used=used_of(v["used"]),
            tainted=bool(self.setup.scope.tolerations),
        )

    def queue(self, value: Mapping[str, Any]) -> Queue:
        waiting = dict(items(value["waiting"]))

        def place(wanted: str) -> tuple[QueuedPodInfo, ...]:
            # Without the clock the newest timestamp is -1.
            newest = 0 if self.setup.scope.clock else len(waiting) + 1
            there = (each for each in waiting.values() if each["place"] == wanted)
            infos = (self.queued(each, each["at"] - newest) for each in there)
            return tuple(sorted(infos, key=self.setup.rules.active_q_order))

        return Queue(
            place("active"),
            place("backoff"),
            place("unschedulable"),
            move_request_cycle=0 if value["moved"] else -1,
            in_flight_pods=self.in_flight(value),
            in_flight_events=tuple(map(self.element, value["events"])),
            lacks_claims=value["lacksClaims"],
        )

    def info(self, value: Mapping[str, Any]) -> QueuedPodInfo:
        """The record of a pod, without what the queue alone says of it."""
        plugins, pending = frozenset(value["plugins"]), frozenset(value["pending"])
        attempts = 0 if self._counts_failures else value["attempts"]
        return QueuedPodInfo(self.pod(value["pod"]), 0, attempts, plugins, pending)

    def queued(self, value: Mapping[str, Any], timestamp: int) -> QueuedPodInfo:
        """The record of a pod that waits: a pod that was tried has failed."""
        failures = value["attempts"] if self._counts_failures else 0
        return evolve(
            self.info(value), timestamp=timestamp, gating_plugin=value["gating"], unschedulable_count=failures
        )

    @property
    def _counts_failures(self) -> bool:
        return self.setup.rules.count_failure is failure_is_counted

    def goroutine(self, value: Mapping[str, Any]) -> Goroutine:
        return Goroutine(
            value["steps"],
            self.info(value),
            uid_of(value["uid"]),
            rejected_by=frozenset(value["rejectedBy"]),
            pending_by=frozenset(value["pendingBy"]),
            activates="" if value["activates"] == NONE else value["activates"],
            done=value["done"],
            events=tuple(map(self.event, value["came"])),
        )

    def event_named(self, name: str) -> ClusterEvent:
        """The event of this name, by the label that it has in the release."""
        if name == TOLERATIONS and self.setup.rules.update_with_hints is update_until_moved:
            return UNSCHEDULABLE_POD_TOLERATION_CHANGE
        return EVENTS[name]

    def object_of_event(self, value: Any) -> Any:
        return UNREADABLE if value == OBJECT else super().object_of_event(value)

    def call(self, value: Mapping[str, Any]) -> Call:
        """A call of Holds.tla, with its event."""
        function, args = value["f"], value["a"]
        match function:
            case "reject_waiting_pod":
                return Call("waiting_pods", function, (self.pod(args[0]),))
            case "move_all_to_active_or_backoff_queue":
                return move_all(self.event(args[0]))
            case "assigned_pod_updated":
                return Call("queue", function, (self.pod(args[0]), self.event(args[1])))
            case "go_on_moving":
                move = self.call(args[0])
                return Call("queue", function, (move.component, move.function, move.args))
        component: Component = "cache" if function in FUNCTIONS["cache"] else "queue"
        return Call(component, function, tuple(map(self.pod, args)))
