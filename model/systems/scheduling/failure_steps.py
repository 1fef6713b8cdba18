"""What follows a failed attempt: the error function, the nomination, the event and the condition, and Done.

Go: recordSchedulingFailure, handleSchedulingFailure in pkg/scheduler/scheduler.go, schedule_one.go; the error function
in factory.go. They run in the scheduling cycle, and after a failed binding in the binding's goroutine.
"""

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.objects import Pod
from model.places import always
from model.scheduler.queue import scheduling_queue as queue_functions
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.systems.scheduling.step import (
    BINDING,
    CYCLE,
    NOMINATOR_LOCK,
    QUEUE_LOCK,
    RETRY,
    OwnStep,
    Stepped,
    call_done,
    done,
)
from model.world.api_server import NOT_READY, live, patch_status, place, put_status
from model.world.calls_in import lister_of, with_queue
from model.world.go_files import ERROR_FUNC_GO, NOMINATOR_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import own_step
from model.world.times import NOW, later, stored


def start_error_func(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """Up to 1.18: reads SchedulingCycle(), then its goroutine is on its own."""
    # Its GET replaces the object, of which it knows only the name.
    info = evolve(goroutine.info, pod=Pod(goroutine.pod.name, ""))
    number = state.queue.scheduling_cycle
    if not setup.queue_is_read and state.queue.move_request_cycle >= number:
        # The number is only compared with the last move's: one that was reached is -1, as in normal form. So who brings
        # a state to normal form does not look at the other retries.
        number = -1
    retry = Goroutine(RETRIES, info, cycle=number)
    return evolve(state, retries=state.retries.start(retry)), goroutine


def get_pod(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The retry GETs the pod, by name, from the API server: gone or bound it is left alone."""
    current = live(state, goroutine.pod)
    if current is None or current.node_name:
        return state, done(goroutine)
    return state, evolve(goroutine, info=evolve(goroutine.info, pod=current))


def add_unschedulable(
    setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None
) -> Stepped:
    """The retry's AddUnschedulableIfNotPresent of the pod as it was read, under PriorityQueue.lock."""
    state = later(setup, state)
    error, queue = queue_functions.add_unschedulable_if_not_present(
        setup.queue, state.queue, goroutine.info, goroutine.cycle, NOW, lister_of(state)
    )
    met_error("AddUnschedulableIfNotPresent", error, goroutine.pod.uid)
    return stored(setup, state, queue), goroutine


def requeue(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """From 1.19 on: the lister's pod, found by name, goes back if it is there and unbound; under PriorityQueue.lock.

    Whether a namesake of the popped pod goes back does not depend on the gate SchedulerQueueingHints. With the
    gate on Done is called. Of a pod that goes back AddUnschedulableIfNotPresent calls Done; of a pod that is gone or
    bound the handler does, at its end.
    """
    info = goroutine.info
    listed = state.lister[place(info.pod.name)]
    if listed is None or listed.node_name:
        return state, goroutine if setup.queue.hints is None else evolve(goroutine, steps=_gone(goroutine.steps))
    if not setup.rules.goes_back(info.pod.uid, listed.uid):
        # The handler returns: no nomination, no event, and no condition.
        return call_done(setup, state, goroutine), evolve(goroutine, steps=goroutine.steps[len(_AFTER_REQUEUE) :])
    plugins = goroutine.rejected_by or info.unschedulable_plugins
    tried = evolve(listed, condition=info.pod.condition, nominated_node_name=info.pod.nominated_node_name)
    at_hand = tried if tried != listed and setup.rules.patches_from_attempt() else None
    info = evolve(info, pod=listed, unschedulable_plugins=plugins)
    state = later(setup, state)
    error, queue = queue_functions.add_unschedulable_if_not_present(
        setup.queue, state.queue, info, state.queue.scheduling_cycle, NOW, lister_of(state)
    )
    met_error("AddUnschedulableIfNotPresent", error, listed.uid)
    return stored(setup, state, queue), evolve(goroutine, info=info, at_hand=at_hand)


def _gone(steps: tuple[str, ...]) -> tuple[str, ...]:
    """What the goroutine still does if its pod is gone or bound: Done is the last thing of the handler."""
    left = len(_AFTER_REQUEUE)
    return (*steps[:left], done_after_failure.__name__, *steps[left:])


def add_nominated_pod(
    setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None
) -> Stepped:
    """AddNominatedPod, whatever the error function found; under the nominator's lock, reading the lister."""
    queue = queue_functions.add_nominated_pod(setup.queue, state.queue, goroutine.pod, goroutine.node, lister_of(state))
    return with_queue(state, queue), goroutine


def record_failure(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """Up to 1.18: the event, then the condition by a PUT of the object at hand; a conflict is only logged.

    The object of a pod that was assumed has a node name, which a PUT of the status does not write.
    """
    pod = evolve(goroutine.pod, node_name="")
    if pod.condition == NOT_READY:
        return state, goroutine
    reply = put_status(state, pod, condition=NOT_READY)
    met_error("updatePodCondition", reply.error, pod.uid)
    return reply.state, goroutine


def patch_failure(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """From 1.19 on: event; condition and nominatedNodeName by a patch of what differs from the object at hand."""
    pod, node = goroutine.at_hand or goroutine.pod, goroutine.node
    condition = None if pod.condition == NOT_READY else NOT_READY
    nominated = None if node is None or node == pod.nominated_node_name else node
    if condition is None and nominated is None:
        return state, goroutine
    reply = patch_status(state, pod, condition, nominated)
    met_error("updatePod", reply.error, pod.uid)
    return reply.state, goroutine


def done_after_failure(
    setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None
) -> Stepped:
    """The handler's own deferred Done, of a pod that did not go back (`calledDone`)."""
    return call_done(setup, state, goroutine), goroutine


# What the handler does after `requeue`.
_AFTER_REQUEUE = (add_nominated_pod.__name__, patch_failure.__name__)
_ERROR_FUNC = always("factory.go MakeDefaultErrorFunc")
# From 1.19 on the error function hands the pod back, which from 1.25 on is part of handleSchedulingFailure.
_REQUEUE = at(ERROR_FUNC_GO, (("1.13.0", "MakeDefaultErrorFunc"), ("1.25.0-alpha.1", "handleSchedulingFailure")))
_RECORD = at(SCHEDULER_GO, (("1.13.0", "recordSchedulingFailure"), ("1.24.0-alpha.1", "handleSchedulingFailure")))
# Up to 1.18: in the cycle or the binding.
EARLY_STEPS: tuple[OwnStep, ...] = (
    own_step(
        start_error_func,
        CYCLE,
        BINDING,
        place=_ERROR_FUNC,
        lock=QUEUE_LOCK,
        part_of=("schedule", "assume", "bind_failed", "preempt", "set_nominated_node_name", "delete_victims"),
        why="while a cycle is in hand nobody pops, so the number stays; for a binding, where it may grow, that is as "
        "if the step before came later",
        by_rule=True,
    ),
    own_step(record_failure, CYCLE, BINDING, place=always("scheduler.go recordSchedulingFailure"), by_rule=True),
)
# From 1.19 on.
LATE_STEPS: tuple[OwnStep, ...] = (
    own_step(requeue, CYCLE, BINDING, place=_REQUEUE, lock=QUEUE_LOCK, by_rule=True),
    own_step(
        add_nominated_pod,
        CYCLE,
        BINDING,
        place=via(_RECORD, at(NOMINATOR_GO, "AddNominatedPod")),
        lock=NOMINATOR_LOCK,
        by_rule=True,
    ),
    own_step(
        patch_failure,
        CYCLE,
        BINDING,
        place=via(_RECORD, at(SCHEDULER_GO, "updatePod")),
        part_of=("add_nominated_pod",),
        why="it touches the API server's objects only, `add_nominated_pod` none of them",
        by_rule=True,
    ),
    own_step(
        done_after_failure,
        CYCLE,
        BINDING,
        place=via(at(SCHEDULER_GO, "handleSchedulingFailure"), at(QUEUE_GO, "Done")),
        lock=QUEUE_LOCK,
        part_of=("add_nominated_pod", "patch_failure"),
        why="nothing comes back to the queue between the two: the pod is gone or bound. What comes meanwhile is "
        "dropped by Done, or may as well come after it",
        by_rule=True,
    ),
)
# Up to 1.18: in the error function's own goroutine.
RETRY_STEPS: tuple[OwnStep, ...] = (
    own_step(get_pod, RETRY, place=_ERROR_FUNC, by_rule=True),
    own_step(
        add_unschedulable,
        RETRY,
        place=via(_ERROR_FUNC, at(QUEUE_GO, "AddUnschedulableIfNotPresent")),
        lock=QUEUE_LOCK,
        by_rule=True,
    ),
)
# What a retry of the error function does, as a goroutine of its own.
RETRIES = tuple(step.name for step in RETRY_STEPS)
# The steps that make a FailedScheduling event.
RECORDS = (record_failure.__name__, patch_failure.__name__)
