"""Pods in flight, and the events that came meanwhile, with the gate SchedulerQueueingHints on. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go; from 1.32 on pkg/scheduler/backend/queue/active_queue.go. A pod
is in flight from Pop to Done. When its attempt fails, the queue looks through the events that came since the Pop. There
are two designs:
 - 1.28.0 and 1.28.1: `receivedEvents` has events alone. Each counts the pods that were in flight when it came, and goes
   when all of them are done. A pod knows the last event before its Pop (`previousEvent`). When that event goes, the pod
   is told nothing any more (QH-MARKER-REMOVED);
 - 1.28.2 on (#120413 by #120445): `inFlightEvents` has pods and events in the order in which they came. Done takes out
   the pod, and then the events at the front up to the first pod.

In both a second Pop of one uid overwrites the first one's entry in `inFlightPods`. In the second design the first one's
element then stays for ever, and so does every event behind it (QH-DUP-ELEMENT). From 1.32 on Pop discards such a pod.

Go's lists are linked: an element knows its neighbours. Here `previous_event` is a place, which moves as events go.
"""

from model.evolve import evolve
from model.scheduler.queue.events import ClusterEvent, event_came
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import REMOVED, InFlight, InFlightEvent, InFlightPod, Queue
from model.variables import asked_of, became

Pods = tuple[InFlightPod, ...]


def _entry(pods: Pods, uid: str) -> InFlightPod | None:
    for pod in pods:
        if pod.uid == uid:
            return pod
    return None


def _with_pod(pods: Pods, new: InFlightPod) -> Pods:
    others = (pod for pod in pods if pod.uid != new.uid)
    return tuple(sorted((*others, new), key=lambda pod: pod.uid))


def without_pod(pods: Pods, uid: str) -> Pods:
    """The pods in flight less the one of this uid."""
    return tuple(pod for pod in pods if pod.uid != uid)


def _and(events: InFlight, new: InFlightPod | InFlightEvent) -> InFlight:
    return (*events, new)


# ------------------------------------------------------------------ events that count pods: 1.28.0, 1.28.1


def note_popped_with_previous_event(queue: Queue, uid: str) -> Queue:
    """The pod remembers the last event (`Pop`)."""
    events = asked_of(queue.in_flight_events, len)
    pod = InFlightPod(uid, events - 1 if events else None)
    return evolve(queue, in_flight_pods=became(queue.in_flight_pods, _with_pod, pod))


def note_event_counting_pods(queue: Queue, event: InFlightEvent) -> Queue:
    """The event counts the pods in flight, and is dropped if there is none (`movePodsToActiveOrBackoffQueue`)."""
    pods = asked_of(queue.in_flight_pods, len)
    if not pods:
        return queue
    event = evolve(event, in_flight_pods_num=pods)
    return evolve(queue, in_flight_events=became(queue.in_flight_events, _and, event))


def forget_done_counting_down(queue: Queue, uid: str) -> Queue:
    """Count down each event that came since the Pop, and drop those that no pod needs (`done`).

    When the event before the Pop has gone, Go counts down from the front on.
    """
    done = asked_of(queue.in_flight_pods, _entry, uid)
    if done is None:
        return queue
    first = 0 if done.previous_event in (None, REMOVED) else done.previous_event + 1
    kept: list[InFlightPod | InFlightEvent] = list(queue.in_flight_events[:first])
    # Where each event is now.
    places = list(range(first))
    for event in queue.in_flight_events[first:]:
        if isinstance(event, InFlightEvent):
            event = evolve(event, in_flight_pods_num=event.in_flight_pods_num - 1)
        if isinstance(event, InFlightEvent) and event.in_flight_pods_num <= 0:
            places.append(REMOVED)
        else:
            places.append(len(kept))
            kept.append(event)
    pods = tuple(
        pod if pod.previous_event in (None, REMOVED) else evolve(pod, previous_event=places[pod.previous_event])
        for pod in without_pod(queue.in_flight_pods, uid)
    )
    return evolve(queue, in_flight_pods=pods, in_flight_events=tuple(kept))


def events_after_previous_event(queue: Queue, uid: str) -> tuple[InFlightEvent, ...] | None:
    """The events behind the one that the pod remembers; none when that one has gone (QH-MARKER-REMOVED).

    `determineSchedulingHintForInFlightPod`: `Next` of a removed list element is nil.
    """
    pod = asked_of(queue.in_flight_pods, _entry, uid)
    if pod is None:
        return None
    if pod.previous_event == REMOVED:
        return ()
    return asked_of(queue.in_flight_events, _events_from, 0 if pod.previous_event is None else pod.previous_event + 1)


def _events_from(events: InFlight, first: int) -> tuple[InFlightEvent, ...]:
    return tuple(event for event in events[first:] if isinstance(event, InFlightEvent))


# ------------------------------------------------------------------ one list of pods and events: 1.28.2 on


def note_popped_in_list(queue: Queue, uid: str) -> Queue:
    """The pod goes behind all events; an element that it has already stays where it is (`Pop`)."""
    pod = InFlightPod(uid)
    return evolve(
        queue,
        in_flight_pods=became(queue.in_flight_pods, _with_pod, pod),
        in_flight_events=became(queue.in_flight_events, _and, pod),
    )


def note_event_in_list(queue: Queue, event: InFlightEvent) -> Queue:
    """The event goes to the end if any pod is in flight (`movePodsToActiveOrBackoffQueue`, `addEventIfAnyInFlight`)."""
    if not asked_of(queue.in_flight_pods, bool):
        return queue
    return evolve(queue, in_flight_events=became(queue.in_flight_events, _and, event))


def _place(events: InFlight, uid: str) -> int:
    """The place of the element that the entry of this uid in `inFlightPods` means: its last one."""
    # From the end on: of a list that grew long the pods in a cycle are the last.
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if isinstance(event, InFlightPod) and event.uid == uid:
            return place
    raise ValueError(f"not an element of the list: pod {uid}")


def forget_done_in_list(queue: Queue, uid: str) -> Queue:
    """Take out the pod's element, and then every event before the first pod (`done`)."""
    if asked_of(queue.in_flight_pods, _entry, uid) is None:
        return queue
    return evolve(
        queue,
        in_flight_pods=became(queue.in_flight_pods, without_pod, uid),
        in_flight_events=became(queue.in_flight_events, _without_element, uid),
    )


def _without_element(events: InFlight, uid: str) -> InFlight:
    place = _place(events, uid)
    left = (*events[:place], *events[place + 1 :])
    first = next((i for i, event in enumerate(left) if isinstance(event, InFlightPod)), len(left))
    return left[first:]


def events_after_pod(queue: Queue, uid: str) -> tuple[InFlightEvent, ...] | None:
    """The events behind the pod's element (`determineSchedulingHintForInFlightPod`; 1.31 on `clusterEventsForPod`)."""
    if asked_of(queue.in_flight_pods, _entry, uid) is None:
        return None
    return asked_of(queue.in_flight_events, _events_behind, uid)


def _events_behind(events: InFlight, uid: str) -> tuple[InFlightEvent, ...]:
    return _events_from(events, _place(events, uid) + 1)


# ------------------------------------------------------------------ a pod that is in flight already


def discard_nothing(queue: Queue, uid: str) -> bool:
    """Pop hands out a pod that is in flight already (1.28 to 1.31, QH-DUP-ELEMENT)."""
    return False


def discard_what_is_in_flight(queue: Queue, uid: str) -> bool:
    """Pop discards a pod that is in flight already, and takes the next one (1.32, #127016)."""
    return is_in_flight(queue, uid)


# ------------------------------------------------------------------ for the operations of the queue


def note_event(setup: QueueSetup, queue: Queue, event: ClusterEvent, only_for: str = "") -> Queue:
    """The queue after an event came, which it keeps for the pods in flight if any plugin waits for such events."""
    if setup.hints is None:
        return queue
    event_came(event)
    if not setup.rules.event_of_interest(event, setup.config.cluster_event_map):
        return queue
    return setup.hints.note_event(queue, InFlightEvent(event, only_for))


def is_in_flight(queue: Queue, uid: str) -> bool:
    """Whether the pod of this uid was popped and is not yet done. With the gate off the queue knows of no such pod."""
    return asked_of(queue.in_flight_pods, _entry, uid) is not None


def done(setup: QueueSetup, queue: Queue, uid: str) -> Queue:
    """The scheduler is through with the pod of this uid (`Done`, 1.28 on; nothing with the gate off)."""
    return queue if setup.hints is None else setup.hints.forget_done(queue, uid)
