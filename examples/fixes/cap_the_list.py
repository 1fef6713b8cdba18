"""A plausible fix that is wrong: the queue keeps the newest events only, so that the list cannot grow.

Everybody proposes this. A pod that fails is then not told of the event that would have made the pod schedulable, and
waits in unschedulablePods until the flush. With a larger number of events it takes as many more events. The element of
a pod whose end is missed stays as well. Try it:

    kubeproof validate examples/fixes/cap_the_list.py --release 1.28.3
"""

from model.evolve import evolve
from model.scheduler.queue.state import InFlightEvent, Queue

# How many events are kept: as few as make the run short.
MOST = 1


def note_event(queue: Queue, event: InFlightEvent) -> Queue:
    """scheduling_queue.go movePodsToActiveOrBackoffQueue, where the event comes to the list."""
    if not queue.in_flight_pods:
        return queue
    kept = (*queue.in_flight_events, event)
    events = [each for each in kept if isinstance(each, InFlightEvent)]
    oldest = next((each for each in kept if isinstance(each, InFlightEvent)), None) if len(events) > MOST else None
    if oldest is not None:
        first = next(place for place, each in enumerate(kept) if each is oldest)
        kept = (*kept[:first], *kept[first + 1 :])
    return evolve(queue, in_flight_events=kept)
