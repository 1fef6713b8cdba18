"""What modules that systems share keep (Objects, PodHandlers, Cache, InFlight), read into the models' records. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.scheduler.cache.state import CORRUPTED, NIL_POINTER, Cache, PodState
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.events import ClusterEvent, with_objects
from model.scheduler.queue.state import InFlightEvent, InFlightPod
from model.variables import Channel
from model.world.api_server import CPU, NOT_READY
from model.world.events import Listener, PodEvent, Used

NONE, NO_NODE = "None", "NoNode"
# The one scheduling gate that a pod may have.
GATE = "example.com/gate"
# The one taint that a pod may come to tolerate.
TAINT = "example.com/taint"
# The label that a pod may have, and that others may ask for.
WEB = "web"


class ObjectsDecoder:
    """Reads what any system of the scheduler keeps. A system says which priority a pod has, and what a node is."""

    def priority(self, name: str) -> int:
        """The priority of the pod of this name."""
        return 0

    def scheduler_name(self, name: str, incarnation: int) -> str:
        """Whom the incarnation of the pod of this name names, if not this scheduler."""
        return ""

    def node(self, name: str, version: Mapping[str, Any]) -> Node | None:
        """This version of a Node that the cache has; None in a system whose cache has pods alone."""
        return None

    def pod_or_none(self, value: Any) -> Pod | None:
        return None if value == NONE else self.pod(value)

    def pod(self, value: Mapping[str, Any]) -> Pod:
        name, incarnation = value["name"], value["inc"]
        if not incarnation:
            return Pod(name, "")
        if not value["cpu"] and value["node"] == NO_NODE:
            # Of a reference (Objects.tla) no more is known. A bound pod may ask for nothing too.
            return Pod(name, uid_of((name, incarnation)))
        gpu = (("gpu", "0"),) if value["gpu"] else ()
        return Pod(
            name,
            f"{name}#{incarnation}",
            priority=self.priority(name),
            cpu_milli=value["cpu"] * CPU,
            node_name=node_or_none(value["node"]) or "",
            nominated_node_name=node_or_none(value["nominated"]) or "",
            labels=(("app", WEB),) if value["web"] else _counted("app", value["app"]),
            annotations=(*gpu, *_counted("note", value["note"])),
            condition=NOT_READY if value["condition"] else "",
            terminating=value["terminating"],
            finalizers=("example.com/kept",) * value["kept"],
            scheduling_gates=(GATE,) * value["gated"],
            toleration=TAINT * value["tolerates"],
            affinity_app=WEB * value["asks"],
            disruption_target=value["disrupted"],
            scheduler_name=self.scheduler_name(name, incarnation),
        )

    def pod_event(self, event: Mapping[str, Any]) -> PodEvent:
        return PodEvent(event["kind"], self.pod(event["pod"]), event["unknown"])

    def listener(self, pending: Any) -> Listener:
        return Listener(
            Channel(
                PodNotification(self.pod_or_none(n["old"]), self.pod_or_none(n["new"]), n["unknown"]) for n in pending
            )
        )

    def node_infos(self, infos: Any, generation: Callable[[bool], int]) -> Iterator[NodeInfo]:
        """The NodeInfos by name. `generation` is asked whether the cache has the Node."""
        for name, info in sorted(items(infos)):
            by_uid = sorted((uid_of(uid), pods) for uid, pods in items(info["pods"]))
            pods = tuple(self.pod(pod) for _, versions in by_uid for pod in versions)
            node = self.node(name, info["is"]) if info["there"] else None
            requested = sum(pod.cpu_milli for pod in pods)
            yield NodeInfo(name, node, pods, requested, generation(info["there"]))

    def cache(self, value: Mapping[str, Any], copies_ghosts: bool) -> Cache:
        """`copies_ghosts`: whether the next snapshot, taken from nothing, copies NodeInfos without Node too."""
        states = sorted((uid_of(uid), self.pod(s["pod"]), s["assumed"]) for uid, s in items(value["pods"]))
        nodes = tuple(sorted(name for name, info in items(value["infos"]) if info["there"]))
        return Cache(
            tuple(self.node_infos(value["infos"], lambda there: int(there or copies_ghosts))),
            tuple(PodState(key, pod, assumed) for key, pod, assumed in states),
            NodeTree(("",) if nodes else (), (NodeArray(nodes),) if nodes else (), 0, len(nodes)),
            1,
        )


def items(function: Any) -> list[tuple[Any, Any]]:
    """A function's pairs; one without any is printed as the empty sequence."""
    return list(function.items()) if isinstance(function, Mapping) else []


def node_or_none(name: str) -> str | None:
    """A node's name; "" of NoNode."""
    return {NONE: None, NO_NODE: ""}.get(name, name)


def uid_of(uid: tuple[str, int]) -> str:
    return f"{uid[0]}#{uid[1]}" if uid[1] else ""


def used_of(used: Mapping[str, int]) -> Used:
    """How often each power was used."""
    return Used(tuple(sorted((power, times) for power, times in used.items() if times)))


def crash_of(crashed: tuple[str, ...]) -> str:
    """How the process ended, "" while it runs."""
    if not crashed:
        return ""
    where, how = crashed
    if how in _PANICS:
        return f"{where}: {_PANICS[how]}"
    outcome = NIL_POINTER if how == "panic" else CORRUPTED
    return f"{where}: {outcome.panic or 'the cache is corrupted'}"


_PANICS = {
    "zero": "integer divide by zero",
    "index": "runtime error: index out of range [0] with length 0",
}


def _counted(key: str, times: int) -> tuple[tuple[str, str], ...]:
    return ((key, str(times)),) if times else ()


class InFlightDecoder(ObjectsDecoder, ABC):
    """Reads what InFlight.tla and HintsQueue.tla keep. A system says which events there are, and of which objects."""

    @abstractmethod
    def event_named(self, name: str) -> ClusterEvent:
        """The event of this name."""

    def object_of_event(self, value: Any) -> Any:
        """An object before or after an event; None if there is none."""
        return self.pod_or_none(value)

    def event(self, value: Mapping[str, Any]) -> ClusterEvent:
        event, old, new = self.event_named(value["is"]), value["old"], value["new"]
        if old == new == NONE:
            return event
        return with_objects(event, self.object_of_event(old), self.object_of_event(new))

    def element(self, value: Mapping[str, Any]) -> InFlightPod | InFlightEvent:
        """An element of inFlightEvents."""
        if value["uid"]:
            return InFlightPod(uid_of(value["uid"]))
        only_for = uid_of(value["only"]) if value["only"] else ""
        return InFlightEvent(self.event(value["event"]), only_for, value["pods"])

    def in_flight(self, value: Mapping[str, Any]) -> tuple[InFlightPod, ...]:
        """inFlightPods of a queue. The modules count places from 1 on, and 0 is none."""
        pods = (InFlightPod(uid_of(uid), _previous(place)) for uid, place in items(value["inFlight"]))
        return tuple(sorted(pods, key=lambda pod: pod.uid))


def _previous(place: int) -> int | None:
    """`previous_event` by its place in the modules: REMOVED is the same number."""
    if not place:
        return None
    return place - 1 if place > 0 else place
