"""The binding goroutine: the Binding is posted, the cache told, a failure undone.

Go: the goroutine at the end of scheduleOne, Scheduler.bind (1.26 on: bindingCycle, handleBindingCycleError). There is
no Permit and no PreBind plugin.
"""

from collections.abc import Iterator
from typing import TypeVar

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.calls import Calls, move_all
from model.scheduler.queue.events import ASSIGNED_POD_DELETE
from model.systems.scheduling.cycle_steps import failed
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.systems.scheduling.step import BINDING, CACHE_LOCK, QUEUE_LOCK, OwnStep, Stepped
from model.world.api_server import bind_pod
from model.world.calls_in import call_cache, execute
from model.world.go_files import CACHE_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import Choice, own_step
from model.world.moves import GO_ON, MOVING, choices, take_hold
from model.world.state import left
from model.world.times import NOW

S = TypeVar("S", bound=Scheduling)

# What may become of the POST besides an answer, with the power that it takes.
REPLIES = {"lost": "lost_replies", "refused": "bind_errors"}


def replies(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Iterator[Choice]:
    yield ()
    for reply, power in REPLIES.items():
        if left(state, power, getattr(setup.scope, power)):
            yield (("reply", reply),)


def bind(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """POST of the Binding. `reply`: "lost" if it is done but the answer never comes, "refused" if it never arrives."""
    state, bound = post_binding(setup, state, goroutine, action)
    return state, evolve(goroutine, steps=finishing(setup)) if bound else _failed(setup, goroutine)


def finishing(setup: SchedulingSetup) -> tuple[str, ...]:
    """`FinishBinding`, if the release has it."""
    return ("finish_binding",) if setup.finishes_bindings else ()


def post_binding(setup: SchedulingSetup, state: S, goroutine: Goroutine, action: Action | None) -> tuple[S, bool]:
    """The state after the POST, and whether the scheduler hears that the pod is bound."""
    assert action is not None
    reply = dict(action.args).get("reply")
    if reply is not None:
        state = evolve(state, used=state.used.once_more(REPLIES[str(reply)]))
    if reply == "refused":
        met_error("Bind", "the request does not reach the API server", goroutine.pod.uid)
        return state, False
    answer = bind_pod(
        state,
        goroutine.pod,
        goroutine.pod.node_name,
        lambda: setup.rules.binding_honours_uid(),
        setup.clears_nomination,
    )
    if answer.refused or reply == "lost":
        met_error("Bind", answer.error or "the answer does not come", goroutine.pod.uid)
        return answer.state, False
    return answer.state, True


def _failed(setup: SchedulingSetup, goroutine: Goroutine) -> Goroutine:
    """A failed binding: the answer is a step of its own, so that the bind event may arrive first."""
    undo = ("bind_failed", *finishing(setup), *setup.rules.after_bind_error())
    return evolve(failed(setup, goroutine, no_node_fits=False), steps=undo, node=goroutine.node)


def bind_failed(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The answer arrives. Touches nothing; what follows does."""
    return state, goroutine


def finish_binding(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """FinishBinding, after a failure too (up to 1.35)."""
    _, state = call_cache(setup, state, "finish_binding", goroutine.pod, NOW)
    return state, goroutine


def forget_pod(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """ForgetPod. Pods are moved afterwards only if it succeeded."""
    outcome, state = call_cache(setup, state, "forget_pod", goroutine.pod)
    then = failed(setup, goroutine, no_node_fits=False)
    if outcome.error is None and "move_after_forget" in goroutine.steps:
        then = evolve(then, steps=("move_after_forget", *then.steps))
    return state, then


def _move(setup: SchedulingSetup, goroutine: Goroutine) -> Calls:
    return (move_all(setup.queue.event_of(ASSIGNED_POD_DELETE, goroutine.pod, None)),)


def _next_pod(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Iterator[Choice]:
    return choices(setup, state, _move(setup, goroutine)) if setup.scope.fine else iter(((),))


def move_after_forget(
    setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None
) -> Stepped:
    """MoveAllToActiveOrBackoffQueue(AssignedPodDelete) from 1.23 on; before the failure is recorded, so the pod itself
    goes to the backoff queue.
    """
    if setup.scope.fine:
        return go_on_moving(setup, state, goroutine, action)
    return execute(setup, state, *_move(setup, goroutine))[1], goroutine


def go_on_moving(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The next hold of the same move."""
    pod = str(dict(action.args).get(MOVING, "")) if action is not None else ""
    state, rest = take_hold(setup, state, _move(setup, goroutine), pod)
    return state, evolve(goroutine, steps=(GO_ON, *goroutine.steps)) if rest else goroutine


_ANSWER_GO = at(
    SCHEDULER_GO,
    (("1.13.0", "bind"), ("1.18.0-alpha.1", "finishBinding"), ("1.26.0-alpha.1", "handleBindingCycleError")),
)
_MOVES = (("1.13.0", "MoveAllToActiveQueue"), ("1.17.0-alpha.1", "MoveAllToActiveOrBackoffQueue"))
STEPS: tuple[OwnStep, ...] = (
    own_step(
        bind, BINDING, place=at(SCHEDULER_GO, "bind"), chooses=("reply",), options=replies, power_of_choice=REPLIES
    ),
    own_step(bind_failed, BINDING, place=_ANSWER_GO),
    own_step(
        finish_binding,
        BINDING,
        place=at(CACHE_GO, "FinishBinding"),
        lock=CACHE_LOCK,
        part_of=("bind", "bind_failed"),
        why="until then the assumed pod does not expire, and the bind event, which makes this a no-op, may as well "
        "come after it; for ForgetPod after it FinishBinding makes no difference",
    ),
    own_step(
        forget_pod,
        BINDING,
        place=at(CACHE_GO, "ForgetPod"),
        lock=CACHE_LOCK,
        part_of=("bind_failed",),
        why="nothing but the bind event and expiry asks whether the pod is assumed; both may come before it or after",
        by_rule=True,
    ),
    own_step(
        move_after_forget,
        BINDING,
        place=via(_ANSWER_GO, at(QUEUE_GO, _MOVES)),
        lock=QUEUE_LOCK,
        part_of=("bind_failed",),
        why="it touches the queue only, ForgetPod before it the cache only",
        chooses=(MOVING,),
        options=_next_pod,
        by_rule=True,
    ),
    own_step(
        go_on_moving,
        BINDING,
        place=at(QUEUE_GO, "movePodsToActiveOrBackoffQueue"),
        lock="PriorityQueue.activeQLock",
        chooses=(MOVING,),
        options=_next_pod,
        needs=lambda scope: scope.fine,
        by_rule=True,
    ),
)
