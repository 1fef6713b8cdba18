"""Effects of a change of the rules of scheduling-cycle: what is compared of the states after each step."""

from collections.abc import Iterable

from model.systems.scheduling_cycle import SchedulingCycle
from model.systems.scheduling_cycle.step import VOLUMES
from properties.effect import Effect, Reached, Subject, effects_of
from properties.scheduling.effects import SUBJECTS


def _holder(plugin: int) -> str:
    return f"plugin {plugin}" if plugin != VOLUMES else "the binder of volumes"


def _reserved(state: SchedulingCycle) -> str:
    found = [f"{each.uid} on {each.node} by {_holder(each.plugin)}" for each in state.reservations]
    return ", ".join(found) or "nothing reserved"


def _waiting(state: SchedulingCycle) -> str:
    found = [f"{each.uid} for {each.pending} plugins, told {each.signal or 'nothing'}" for each in state.waiting_pods]
    return ", ".join(found) or "nobody waits"


_SUBJECTS: tuple[Subject, ...] = (
    *SUBJECTS,
    ("what plugins hold", _reserved),
    ("who waits at Permit", _waiting),
)


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs."""
    return effects_of(_SUBJECTS, reached)
