"""What the modules InFlight.tla and HintsQueue.tla keep of pods in flight, read into the model's records. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from model.scheduler.queue.events import ClusterEvent, with_objects
from model.scheduler.queue.state import InFlightEvent, InFlightPod
from properties.tla.objects import NONE, ObjectsDecoder, items, uid_of


class InFlightDecoder(ObjectsDecoder, ABC):
    """Reads pods in flight and events. A system says which events there are, and which objects these have."""

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
