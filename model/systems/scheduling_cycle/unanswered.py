"""Requests to the API server that are not answered (`patch_errors`): how such a step is declared."""

from collections.abc import Iterator

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.systems.scheduling.step import OwnStep
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import replaced
from model.world.goroutines import Choice
from model.world.state import left

NOT_ANSWERED = "the API server does not answer"
# Of a request: nothing was done.
UNANSWERED: Choice = (("answer", "none"),)
POWER_OF_CHOICE = {"none": "patch_errors"}


def answers(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """The API server answers, or does not."""
    yield ()
    if left(state, "patch_errors", setup.scope.patch_errors):
        yield UNANSWERED


def unanswered(state: SchedulingCycle, function: str, about: str) -> SchedulingCycle:
    met_error(function, NOT_ANSWERED, about)
    return evolve(state, used=state.used.once_more("patch_errors"))


def is_unanswered(action: Action | None) -> bool:
    return action is not None and "answer" in dict(action.args)


def with_answers(step: OwnStep, does: object, **changes: object) -> OwnStep:
    """The step, at which the API server may not answer."""
    return replaced(
        step,
        does=does,
        options=answers,
        chooses=("answer",),
        apart=lambda scope: bool(scope.fine or scope.patch_errors),
        power_of_choice=POWER_OF_CHOICE,
        **changes,
    )
