"""The steps of the binding cycle that are other ones than in scheduling: PreBind, Bind, and what undoes a failure.

Go: the goroutine at the end of scheduleOne (1.26 on: bindingCycle, handleBindingCycleError). PostBind only hears.
"""

from collections.abc import Iterator
from typing import cast

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.queue import move as queue_moves
from model.scheduler.queue.events import ASSIGNED_POD_DELETE
from model.systems.scheduling import binding_steps as scheduling, failure_steps
from model.systems.scheduling.binding_steps import REPLIES, finishing, post_binding, replies
from model.systems.scheduling.step import BINDING, CACHE_LOCK, CYCLE, QUEUE_LOCK, OwnStep
from model.systems.scheduling_cycle.done_steps import DONE
from model.systems.scheduling_cycle.node_repair import repairs, with_repair
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import (
    FAILURES,
    MOVES,
    POWER_OF_FAILURE,
    UNSCHEDULABLE,
    Stepped,
    also_part_of,
    canceled,
    fails,
    may_fail,
)
from model.world.api_server import place
from model.world.calls_in import call_cache
from model.world.go_files import CACHE_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import Choice, own_step
from model.world.state import left
from model.world.times import NOW, later, stored

# A reply to a Binding.
NODE_NOT_FOUND = "node not found"


def _of_pre_bind(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    yield ()
    if may_fail(setup, state):
        yield from FAILURES


def pre_bind(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """RunPreBindPlugins, and from 1.36 on MarkPrebound."""
    if goroutine.canceled:
        return state, canceled(setup, goroutine)
    failure = None if action is None else dict(action.args).get("fails")
    if failure is None:
        return state, goroutine
    met_error("PreBind", "a plugin fails", goroutine.pod.uid)
    state = evolve(state, used=state.used.once_more("failures"))
    undo = setup.rules.after_failed_permit()
    return state, fails(setup, goroutine, undo, "pre_bind" if failure == UNSCHEDULABLE else None, binding=True)


def _replies(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    yield from replies(setup, state, goroutine)
    may_refuse = left(state, "node_not_found", setup.scope.node_not_found)
    if may_refuse and state.nodes[place(goroutine.host)] is None:
        yield (("reply", NODE_NOT_FOUND),)


def _bind_without_node(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Stepped:
    """The Binding is refused, since the node is not found."""
    met_error("Bind", f'node "{goroutine.host}" not found', goroutine.pod.uid)
    state = evolve(state, used=state.used.once_more("node_not_found"))
    goroutine = bind_fails(setup, goroutine)
    return state, with_repair(goroutine) if repairs(setup) else goroutine


def bind(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """POST of the Binding, as in scheduling. What was reserved is the bound pod's own."""
    if action is not None and dict(action.args).get("reply") == NODE_NOT_FOUND:
        return _bind_without_node(setup, state, goroutine)
    state, is_bound = post_binding(setup, state, goroutine, action)
    return bound(setup, state, goroutine) if is_bound else (state, bind_fails(setup, goroutine))


def bound(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Stepped:
    """The scheduler hears that the pod is bound, whoever has bound it."""
    own = goroutine.pod.uid, goroutine.host
    left = tuple(each for each in state.reservations if (each.uid, each.node) != own)
    steps = (*finishing(setup), *(step for step in goroutine.steps if step == DONE))
    return evolve(state, reservations=left), evolve(goroutine, steps=steps, reserved=0, asked=())


def bind_fails(setup: CycleSetup, goroutine: CycleGoroutine) -> CycleGoroutine:
    """The goroutine after a failed binding: the answer is a step of its own, so the bind event may arrive first."""
    undone = fails(setup, goroutine, setup.rules.after_failed_bind(), binding=True)
    return evolve(undone, steps=("bind_failed", *finishing(setup), *undone.steps), asked=())


# What is done with the assumed pod, whatever the record has. In Go the move that comes last goes by it too. For a pod
# that is created again meanwhile, model and modules leave that move with the record's pod.
_OF_ASSUMED = ("forget_pod", "unreserve")


def requeue(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """As in scheduling: the record gets the lister's pod. What follows still knows the assumed one.

    Go: MakeDefaultErrorFunc sets podInfo.Pod, and scheduleOne holds assumedPod in a variable of its own.
    """
    state, after = cast(Stepped, failure_steps.requeue(setup, state, goroutine, action))
    left = [step for step in after.steps if step in _OF_ASSUMED]
    if after.pod == goroutine.pod or not left or (after.pod.uid == goroutine.pod.uid and "forget_pod" not in left):
        return state, after
    return state, evolve(after, assumed=goroutine.pod)


def forget_pod(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """ForgetPod. Pods are moved afterwards only if it succeeded."""
    outcome, state = call_cache(setup, state, "forget_pod", goroutine.assumed_pod)
    if outcome.error is None:
        return state, goroutine
    return state, evolve(goroutine, steps=tuple(step for step in goroutine.steps if step not in MOVES))


def move_others_after_forget(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """The deferred MoveAllToActiveOrBackoffQueue(AssignedPodDelete), which spares the pod that was rejected."""
    state = later(setup, state)
    own = goroutine.assumed_pod.uid
    event = setup.queue.event_of(ASSIGNED_POD_DELETE, goroutine.assumed_pod, None)
    infos, event = queue_moves.moved_by_request(setup.queue, state.queue, event, lambda pod: pod.uid != own)
    return stored(setup, state, queue_moves.move_pods(setup.queue, state.queue, infos, event, NOW)), goroutine


_UNDO_GO = at(SCHEDULER_GO, (("1.13.0", "scheduleOne"), ("1.26.0-alpha.1", "handleBindingCycleError")))
_FAILING = ("reserve", "unreserve", "permit", "wait_on_permit", "pre_bind", "assume_volumes", "bind_volumes")
_BY_NAME = {step.name: step for step in scheduling.STEPS}
STEPS: tuple[OwnStep, ...] = (
    own_step(
        pre_bind,
        BINDING,
        place=(
            ("1.13.0", "scheduler.go scheduleOne"),
            ("1.15.0-alpha.1", "framework.go RunPrebindPlugins"),
            ("1.16.0-alpha.1", "framework.go RunPreBindPlugins"),
        ),
        chooses=("fails",),
        options=_of_pre_bind,
        power=("failures",),
        power_of_choice=POWER_OF_FAILURE,
        by_rule=True,
    ),
    own_step(
        bind,
        BINDING,
        place=at(SCHEDULER_GO, "bind"),
        chooses=("reply",),
        options=_replies,
        power_of_choice={**REPLIES, NODE_NOT_FOUND: "node_not_found"},
    ),
    _BY_NAME["bind_failed"],
    also_part_of(_BY_NAME["finish_binding"], "bind_by_extender"),
    own_step(
        forget_pod,
        CYCLE,
        BINDING,
        place=via(_UNDO_GO, at(CACHE_GO, "ForgetPod")),
        lock=CACHE_LOCK,
        part_of=("bind_failed", *_FAILING),
        why="the step before does not touch the cache: who looks for room in between may as well look before both; "
        "whether the pod is assumed only the bind event and expiry ask, and both may come before it or after",
        by_rule=True,
    ),
    also_part_of(_BY_NAME["move_after_forget"], *_FAILING),
    _BY_NAME["go_on_moving"],
    own_step(
        move_others_after_forget,
        BINDING,
        place=via(_UNDO_GO, at(QUEUE_GO, "MoveAllToActiveOrBackoffQueue")),
        lock=QUEUE_LOCK,
        by_rule=True,
    ),
)
