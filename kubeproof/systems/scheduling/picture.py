"""How scheduling is drawn: one scheduler over an API server, or two."""

from typing import Any

from attrs import evolve

from kubeproof.systems.scheduler_picture import LANES, PICTURE as ONE, actor, drawn, owner, panels
from model.machine import Action
from model.systems.scheduling import second_scheduler
from model.systems.scheduling.records import Scheduling

SECOND = "second "


def _actor(before: Scheduling, action: Action, place: str) -> str:
    if action.name not in second_scheduler.NAMES:
        return actor(before, action, place)
    return SECOND + actor(second_scheduler.with_objects(before), second_scheduler.first_of(action), place)


def _owner(subject: str) -> str:
    mine = owner(subject.removeprefix(SECOND))
    return SECOND + mine if mine and subject.startswith(SECOND) else mine


def _drawn(state: Scheduling) -> dict[str, tuple[str, ...]]:
    second: Any = state.second
    more = {} if second is None else {SECOND + subject: fact for subject, fact in drawn(second).items()}
    return {**drawn(state), **more}


PICTURE = evolve(
    ONE,
    panels=(*ONE.panels, *panels(SECOND)),
    lanes=(*LANES, *(SECOND + lane for lane in LANES)),
    actor=_actor,
    owner=_owner,
    drawn=_drawn,
)
