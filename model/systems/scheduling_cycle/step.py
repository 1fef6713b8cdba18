"""How a step of the scheduler is declared here, with requests that are not answered, and how an attempt fails."""

from collections.abc import Iterator
from typing import Any

import attrs

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.cycle_points import Rejecting, Undoing
from model.systems.scheduling.cycle_steps import failed
from model.systems.scheduling.step import OwnStep
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import PLUGIN, CycleSetup
from model.world.goroutines import Choice
from model.world.state import left

Stepped = tuple[SchedulingCycle, CycleGoroutine]

# The number of what counts as a reservation of volumes. Plugins at Reserve are counted from 1.
VOLUMES = 0
# How a plugin may fail: with an error, or with a rejection.
ERROR, UNSCHEDULABLE = "error", "unschedulable"
# The choices of a step at which a plugin may fail.
FAILURES: tuple[Choice, ...] = ((("fails", ERROR),), (("fails", UNSCHEDULABLE),))
POWER_OF_FAILURE = {ERROR: "failures", UNSCHEDULABLE: "failures"}
# The steps that move pods after a failed binding.
MOVES = ("move_after_forget", "move_others_after_forget")


def may_fail(setup: CycleSetup, state: SchedulingCycle) -> bool:
    """Whether a plugin may fail once more."""
    return left(state, "failures", setup.scope.failures)


def when_plugins_fail(scope: Any) -> bool:
    """Whether a step at which a plugin may fail is an action of its own: what the plugin says is chosen there."""
    return bool(scope.fine or scope.failures)


def fails(
    setup: CycleSetup,
    goroutine: CycleGoroutine,
    undo: Undoing,
    at: Rejecting | None = None,
    binding: bool = False,
) -> CycleGoroutine:
    """The attempt fails. `undo`: what follows, in order; `at`: the point where a plugin rejects the pod, if one does.

    `binding`: in the binding cycle, where the move of other pods goes with ForgetPod.
    """
    after_failure = failed(setup, goroutine, no_node_fits=False)
    steps: list[str] = []
    for each in undo:
        match each:
            case "record":
                steps += after_failure.steps
            case "forget":
                steps += setup.rules.after_bind_error() if binding else ("forget_pod",)
            case "unreserve" if setup.scope.reserves or setup.scope.groups or setup.scope.volumes:
                steps.append("unreserve")
    if at is not None and MOVES[0] in steps and setup.rules.move_comes_last(at):
        steps.remove(MOVES[0])
        steps.append(MOVES[1])
    files = at is not None and setup.rules.files_rejection(at)
    return evolve(after_failure, steps=tuple(steps), rejected_by=frozenset({PLUGIN} if files else ()))


def canceled(setup: CycleSetup, goroutine: CycleGoroutine) -> CycleGoroutine:
    """The goroutine whose binding preemption has cancelled: PreBind or MarkPrebound ends with an error (1.36 on)."""
    met_error("PreBind", "preempted", goroutine.pod.uid)
    undone = fails(setup, goroutine, setup.rules.after_failed_permit(), binding=True)
    return evolve(undone, canceled=False)


def replaced(step: OwnStep, **changes: Any) -> OwnStep:
    """The step of scheduling with other values in some fields."""
    found: OwnStep = attrs.evolve(step, **changes)
    return found


def also_part_of(step: OwnStep, *heads: str) -> OwnStep:
    """The same step, which may also follow in the actions of `heads`."""
    return replaced(step, part_of=(*step.part_of, *heads))


NOT_ANSWERED = "the API server does not answer"
# Of a request: nothing was done.
UNANSWERED: Choice = (("answer", "none"),)
POWER_OF_UNANSWERED = {"none": "patch_errors"}


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
        power_of_choice=POWER_OF_UNANSWERED,
        **changes,
    )
