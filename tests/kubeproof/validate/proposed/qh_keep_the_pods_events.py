"""QH-DUP-ELEMENT: Done takes out all elements of the pod, and leaves the events. Wrong: nobody takes the events out."""

from model.evolve import evolve
from model.scheduler.queue.state import InFlightPod, Queue

CURES = "QH-DUP-ELEMENT"


def forget_done(queue: Queue, uid: str) -> Queue:
    return evolve(
        queue,
        in_flight_pods=tuple(pod for pod in queue.in_flight_pods if pod.uid != uid),
        in_flight_events=tuple(
            each for each in queue.in_flight_events if not isinstance(each, InFlightPod) or each.uid != uid
        ),
    )
