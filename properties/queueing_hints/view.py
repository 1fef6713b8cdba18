"""What the properties of queueing-hints read from a state: who is in flight, what is retained, what is under way."""

from collections.abc import Iterator

from model.machine import Action
from model.scheduler.queue.events import ClusterEvent, is_event_of_interest
from model.scheduler.queue.state import InFlightEvent, InFlightPod
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.world.pod_handlers import quiet
from properties.scheduling.view import events_of as events_of, live as live

State = QueueingHints


def goroutines(state: State) -> Iterator[Goroutine]:
    """The goroutines under way: the scheduling cycle, then bindings."""
    if state.cycle is not None:
        yield state.cycle
    yield from state.bindings


def running(state: State) -> list[Goroutine]:
    """The cycles that have not called Done yet."""
    return [goroutine for goroutine in goroutines(state) if not goroutine.done]


def in_flight(state: State) -> list[str]:
    """The UIDs in `inFlightPods`."""
    return [pod.uid for pod in state.queue.in_flight_pods]


def elements(state: State) -> list[str]:
    """The UIDs of the pods in `inFlightEvents`, in order. 1.28.0 and 1.28.1 have no pods there."""
    return [each.uid for each in state.queue.in_flight_events if isinstance(each, InFlightPod)]


def retained(state: State) -> list[ClusterEvent]:
    """The events that the queue keeps for pods in flight, in order."""
    return [each.event for each in state.queue.in_flight_events if isinstance(each, InFlightEvent)]


def of_interest(setup: HintsSetup, event: ClusterEvent) -> bool:
    """Whether some plugin waits for such an event, or it is the update of a pod that is not bound.

    What the release keeps does not matter. Such an update says that the failed pod has changed.
    """
    return is_event_of_interest(event, setup.registered) or event.label.startswith("UnschedulablePod")


def queues_of(state: State, name: str, uid: str | None = None) -> list[str]:
    """The sub-queues that have the pod; with a `uid` only this incarnation of the pod."""
    queue = state.queue
    parts = (("activeQ", queue.active), ("backoffQ", queue.backoff), ("unschedulablePods", queue.unschedulable))
    return [
        part for part, infos in parts if any(info.pod.name == name and uid in (None, info.pod.uid) for info in infos)
    ]


def thread_of(state: State, action: Action) -> Goroutine | None:
    """The goroutine that takes `action`: the scheduling cycle, or the binding that the action names."""
    arguments = dict(action.args)
    if "by" not in arguments:
        return state.cycle
    nth = int(arguments.get("nth", 1))
    same = [g for g in state.bindings if (g.steps[0], g.pod.name) == (action.name, arguments["pod"])]
    return list(dict.fromkeys(same))[nth - 1]


def at_rest(state: State) -> bool:
    """Whether nothing is under way: only a user, an event or time could make something happen."""
    idle = state.cycle is None and not state.bindings and not state.crashed
    delivered = not state.pod_watch and quiet(state)
    return idle and delivered and not state.queue.active and not state.queue.backoff
