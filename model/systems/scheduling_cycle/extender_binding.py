"""Extenders with the verb Bind: one of them binds the pod in place of the Bind plugin.

Go: extendersBinding in pkg/scheduler/scheduler.go (1.24 on schedule_one.go); up to 1.17 getBinderFunc in factory.go
chooses who binds. Which extenders are asked, and whether others follow, is as in model/scheduler/extenders.py.
"""

from collections.abc import Iterator

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.objects import Pod
from model.places import always
from model.scheduler.framework.plugin_calls import made_call
from model.systems.scheduling.step import BINDING, OwnStep
from model.systems.scheduling_cycle.binding_steps import bind_fails, bound
from model.systems.scheduling_cycle.filter_steps import LOST, NO_ANSWER, POWER_OF_NO_ANSWER, may_not_answer
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import interested_binders
from model.systems.scheduling_cycle.step import Stepped
from model.world.api_server import bind_pod, place
from model.world.go_files import SCHEDULER_GO, at, via
from model.world.goroutines import Choice, own_step

# The step at which one extender is asked.
BIND_BY_EXTENDER = "bind_by_extender"


def asked(setup: CycleSetup, pod: Pod) -> tuple[int, ...]:
    """The places of the extenders that may be asked to bind the pod, in turn."""
    return setup.rules.binders_asked(interested_binders(setup.scope, place(pod.name)))


def asked_to_bind(setup: CycleSetup, goroutine: CycleGoroutine, points: tuple[str, ...]) -> tuple[str, ...]:
    """The points of the binding, with one step before Bind for each extender that may be asked to bind the pod."""
    if not setup.scope.binder_extenders or "bind" not in points:
        return points
    before = points.index("bind")
    return (*points[:before], *(BIND_BY_EXTENDER,) * len(asked(setup, goroutine.pod)), *points[before:])


def next_binder(setup: CycleSetup, goroutine: CycleGoroutine) -> int:
    """Which extender the next step of the goroutine asks, counted from 1."""
    places = asked(setup, goroutine.pod)
    return places[len(places) - goroutine.steps.count(BIND_BY_EXTENDER)] + 1


def _answers(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """The extender binds the pod; or it does nothing and does not answer; or it binds, and its answer is lost."""
    yield ()
    if may_not_answer(setup, state):
        yield (("reply", NO_ANSWER),)
        yield (("reply", LOST),)


def bind_by_extender(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """The next extender posts the Binding. If it fails, the attempt fails, or in some releases others are asked."""
    reply = None if action is None else dict(action.args).get("reply")
    error: str | None = None
    if reply is not None:
        state = evolve(state, used=state.used.once_more("extender_errors"))
        error = "the extender does not answer"
    binder = next_binder(setup, evolve(goroutine, steps=(BIND_BY_EXTENDER, *goroutine.steps)))
    made_call("Bind of extender", binder)
    goroutine = evolve(goroutine, asked=(*goroutine.asked, binder - 1))
    if reply != NO_ANSWER:
        # The request to the extender has the pod's UID. The extender is taken to copy it into the Binding.
        answer = bind_pod(
            state,
            goroutine.pod,
            goroutine.host,
            lambda: setup.rules.binding_honours_uid(),
            setup.clears_nomination,
        )
        state, error = answer.state, answer.error or error
    if error is None:
        return bound(setup, state, goroutine)
    met_error("Bind", error, goroutine.pod.uid)
    if setup.rules.asks_on_after_bind_error(bool(setup.scope.ignorable)):
        return state, goroutine
    return state, bind_fails(setup, goroutine)


STEPS: tuple[OwnStep, ...] = (
    own_step(
        bind_by_extender,
        BINDING,
        place=via(
            at(SCHEDULER_GO, (("1.13.0", "bind"), ("1.18.0-alpha.1", "extendersBinding"))), always("extender.go Bind")
        ),
        chooses=("reply",),
        options=_answers,
        power=("binder_extenders",),
        power_of_choice=POWER_OF_NO_ANSWER,
    ),
)
