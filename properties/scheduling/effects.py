"""Effects of a change of the scheduler's rules: what is compared of the states after each step."""

from collections.abc import Iterable

from model.systems.scheduling.records import Scheduling
from properties.effect import Effect, Reached, Subject, effects_of
from properties.scheduling.view import queues_of


def _queued(state: Scheduling) -> str:
    places = [
        f"{pod.name} in {' and '.join(queues)}"
        for pod in state.lister
        if pod is not None and (queues := queues_of(state, pod.name))
    ]
    return ", ".join(places) or "queues empty"


def _nominated(state: Scheduling) -> str:
    found = [f"{pod.name} to {node}" for node, pods in state.queue.nominator.nominated_pods for pod in pods]
    return ", ".join(found) or "nobody nominated"


def _cached(state: Scheduling) -> str:
    found = [f"{s.pod.uid} on {s.pod.node_name}{' assumed' if s.assumed else ''}" for s in state.cache.pod_states]
    return ", ".join(found) or "cache without pods"


def _running(state: Scheduling) -> str:
    cycle = "no cycle" if state.cycle is None else f"cycle of {state.cycle.pod.name}: {', '.join(state.cycle.steps)}"
    return f"{cycle}, {len(state.bindings)} bindings, {len(state.retries)} retries"


def _written(state: Scheduling) -> str:
    return f"{len(state.pod_watch)} events to deliver"


SUBJECTS: tuple[Subject, ...] = (
    ("where pods wait", _queued),
    ("who is nominated", _nominated),
    ("what the cache counts", _cached),
    ("what the scheduler does next", _running),
    ("writes to the API server", _written),
    ("whether the scheduler's process goes on", lambda state: state.crashed or "it does"),
)


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs."""
    return effects_of(SUBJECTS, reached)
