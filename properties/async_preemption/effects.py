"""Effects of a change of the rules of async-preemption: what is compared of the states after each step."""

from collections.abc import Iterable

from model.systems.async_preemption import AsyncPreempting
from properties.effect import Effect, Reached, Subject, effects_of


def _held(state: AsyncPreempting) -> str:
    if not state.preempting.running:
        return "the preemptor is not in `preempting`"
    return f"the preemptor is in `preempting`, its last victim is {state.preempting.last_victim or 'not written down'}"


def _next(state: AsyncPreempting) -> str:
    found = [f"{each.next}, {' '.join(each.others) or 'no'} others to ask for" for each in state.goroutines]
    return "; ".join(found) or "no goroutine"


_SUBJECTS: tuple[Subject, ...] = (
    ("where the preemptor is", lambda state: str(state.place)),
    ("what PreEnqueue knows", _held),
    ("what is asked for next", _next),
)


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs."""
    return effects_of(_SUBJECTS, reached)
