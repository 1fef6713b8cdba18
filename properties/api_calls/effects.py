"""Effects of a change of the rules of api-calls: what is compared of the states after each step."""

from collections.abc import Iterable

from model.systems.api_calls import ApiCalling
from properties.effect import Effect, Reached, Subject, effects_of


def _api(state: ApiCalling) -> str:
    status = state.true.status
    return f"nominated to {status.nominated_node_name or 'no node'}, condition {status.condition or 'none'}"


def _calls(state: ApiCalling) -> str:
    calls = (*state.dispatcher.in_flight, *state.dispatcher.api_calls)
    return "; ".join(str(each.call) for each in calls) or "none"


_SUBJECTS: tuple[Subject, ...] = (
    ("the pod at the API server", _api),
    ("where the pod is nominated in memory", lambda state: state.memory or "nowhere"),
    ("where the pod is", lambda state: str(state.place)),
    ("which calls there are", _calls),
    ("whether a caller is told of a call in flight", lambda state: "yes" if state.told_early else "no"),
)


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs."""
    return effects_of(_SUBJECTS, reached)
