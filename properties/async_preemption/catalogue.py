"""The properties of async-preemption."""

from model.systems.async_preemption import AsyncPreempting
from model.systems.async_preemption.records import victim_name
from properties.preemption.mutants import nobody_is_deleted
from properties.property import Invariant, Property


def _preempts_once(state: AsyncPreempting) -> bool:
    return len(state.goroutines) < 2


def _explain_twice(state: AsyncPreempting) -> str:
    at = {"others": "not at its last victim", "last": "at its last victim", "end": "at its end"}
    return f"a preemption of the pod begins while another one of the same pod is {at[state.goroutines[0].next]}"


def _room_is_free(state: AsyncPreempting) -> bool:
    """Nobody has the node any more, the scheduler knows that, and no request or event is under way."""
    return not state.goroutines and not state.events and all(phase == "gone" for phase in state.known)


def _goes_on(state: AsyncPreempting) -> bool:
    return not _room_is_free(state) or state.place not in ("unschedulable", "gated")


def _explain_left(state: AsyncPreempting) -> str:
    where = "PreEnqueue holds it back" if state.place == "gated" else "it is in unschedulablePods"
    return f"all victims are gone, nothing is under way, and nobody takes the preemptor to activeQ: {where}"


def _waits_alone(state: AsyncPreempting) -> bool:
    """The preemptor waits, and no request or event is under way. A request that failed is not asked for again."""
    waits = state.place in ("unschedulable", "gated")
    return waits and not state.goroutines and not state.events and not state.failures


def _staying(state: AsyncPreempting) -> tuple[str, ...]:
    """The victims that nobody has asked to go."""
    return tuple(victim_name(at) for at, phase in enumerate(state.true) if phase in ("runs", "marked", "waits"))


PROPERTIES: tuple[Property, ...] = (
    Invariant(
        name="one-preemption-at-a-time",
        sentence="A pod begins no second preemption before its first one has ended.",
        broken_by=("is_left_before_last_victim", "is_held_until_last_victim_goes"),
        holds=_preempts_once,
        premise=lambda state: bool(state.goroutines),
        explain=_explain_twice,
    ),
    Invariant(
        name="preemptor-is-tried-when-room-is-free",
        sentence="When all victims are gone, and nothing is under way, the preemptor is tried or bound.",
        broken_by=("after_a_failure", "after_a_failure_or_if_all_are_gone"),
        holds=_goes_on,
        premise=_room_is_free,
        explain=_explain_left,
    ),
    Invariant(
        name="preemptor-waits-for-somebody",
        sentence="While the preemptor waits, and nothing is under way, each victim goes, unless a request failed.",
        broken_by=("nobody_is_deleted",),
        holds=lambda state: not (_waits_alone(state) and _staying(state)),
        premise=_waits_alone,
        explain=lambda state: f"the preemptor waits, nothing is under way, and nobody deletes {_staying(state)[0]}",
    ),
)

# Rules that are wrong on purpose. Each breaks a property that no release breaks.
MUTANTS = {"victims_to_delete": (nobody_is_deleted,)}
