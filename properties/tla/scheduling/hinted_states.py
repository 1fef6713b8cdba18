"""States of specs/MCSchedulingWithHints.tla, read into those of model.systems.scheduling from 1.32 on. Pure."""

from collections.abc import Mapping
from typing import Any

from model.evolve import evolve
from model.scheduler.queue.backoff import failure_is_counted
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from properties.tla.in_flight import InFlightDecoder
from properties.tla.scheduling.hints import EVENTS
from properties.tla.scheduling.states import Decoder


def decode(setup: SchedulingSetup, variables: Mapping[str, Any]) -> Scheduling:
    """The machine's state of a TLA+ state, in which uids, ranks and sums are not spelt out."""
    return HintedDecoder(setup).state(variables)


class HintedDecoder(InFlightDecoder, Decoder):
    """Reads with the names and rules of one setup."""

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
