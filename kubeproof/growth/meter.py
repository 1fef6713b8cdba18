"""How many events the queue keeps, looked at after every operation."""

from model.scheduler.queue.state import InFlightEvent, InFlightPod, Queue

Elements = tuple[InFlightPod | InFlightEvent, ...]


class Meter:
    """Counts the events in the queue's list, and remembers the count after each event that came."""

    def __init__(self) -> None:
        # The events in the list now.
        self.retained = 0
        # The number of events after each event that came, and the time of the event in ms.
        self.series: list[int] = []
        self.times: list[int] = []
        # How many events had come when the list was last without an event.
        self.last_zero = 0
        self._elements: Elements = ()

    def look(self, queue: Queue) -> None:
        """The queue is this one now."""
        old, new = self._elements, queue.in_flight_events
        if new is not old:
            if len(new) == len(old) + 1:  # Nothing goes when something comes: the new one is the last.
                self.retained += isinstance(new[-1], InFlightEvent)
            else:
                self.retained = list(map(type, new)).count(InFlightEvent)
            self._elements = new
        if not self.retained:
            self.last_zero = len(self.series)

    def event_came(self, ms: int) -> None:
        """An event came at this time, and the handlers are through with the event."""
        self.series.append(self.retained)
        self.times.append(ms)
        if not self.retained:
            self.last_zero = len(self.series)
