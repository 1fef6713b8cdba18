"""Effects of a change of the rules of queueing-hints: what is compared of the states after each step."""

from collections.abc import Iterable

from properties.effect import Effect, Reached, Subject, effects_of
from properties.queueing_hints.view import State, in_flight, queues_of, retained


def _queued(state: State) -> str:
    places = [
        f"{pod.name} in {' and '.join(queues)}"
        for pod in state.lister
        if pod is not None and (queues := queues_of(state, pod.name))
    ]
    return ", ".join(places) or "queues empty"


def _in_flight(state: State) -> str:
    return ", ".join(in_flight(state)) or "nobody"


def _retained(state: State) -> str:
    return ", ".join(event.label for event in retained(state)) or "nothing"


def _running(state: State) -> str:
    cycle = "no cycle" if state.cycle is None else f"cycle of {state.cycle.pod.name}: {', '.join(state.cycle.steps)}"
    return f"{cycle}, {len(state.bindings)} bindings"


_SUBJECTS: tuple[Subject, ...] = (
    ("where pods wait", _queued),
    ("which pods are in flight", _in_flight),
    ("which events are kept", _retained),
    ("whether Pop sleeps although activeQ has a pod", lambda state: "yes" if state.sleeps else "no"),
    ("what the scheduler does next", _running),
    ("whether the scheduler's process goes on", lambda state: state.crashed or "it does"),
)


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs."""
    return effects_of(_SUBJECTS, reached)
