"""What follows a failed attempt: the error function, the nomination, the event and the condition.

Go: recordSchedulingFailure, handleSchedulingFailure in pkg/scheduler/scheduler.go, schedule_one.go; the error function
in factory.go. They run in the scheduling cycle, and after a failed binding in the binding's goroutine.
"""

from model.evolve import evolve
from model.machine import Action
from model.objects import Pod
from model.scheduler.queue import scheduling_queue as queue_functions
from model.systems.scheduling.api_server import NOT_READY, live, patch_status, place, put_status
from model.systems.scheduling.calls_in import NOW, lister_of, with_queue
from model.systems.scheduling.clock import later
from model.systems.scheduling.cycle_steps import Stepped, done
from model.systems.scheduling.normal import order
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup

# The steps that make a FailedScheduling event.
RECORDS = ("record_failure", "patch_failure")


def start_error_func(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """Up to 1.18: reads SchedulingCycle() under PriorityQueue.lock, then its goroutine is on its own.

    One action with the step before: while a cycle is in hand nobody pops, so the number stays; for a binding, where
    it may grow, that is as if the step before came later.
    """
    # Its GET replaces the object, of which it knows only the name.
    info = evolve(goroutine.info, pod=Pod(goroutine.pod.name, ""))
    retry = Goroutine(("get_pod", "add_unschedulable"), info, cycle=state.queue.scheduling_cycle)
    return evolve(state, retries=tuple(sorted((*state.retries, retry), key=order))), goroutine


def get_pod(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The retry GETs the pod, by name, from the API server: gone or bound it is left alone."""
    current = live(state, goroutine.pod)
    if current is None or current.node_name:
        return state, done(goroutine)
    return state, evolve(goroutine, info=evolve(goroutine.info, pod=current))


def add_unschedulable(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The retry's AddUnschedulableIfNotPresent of the pod as it was read, under PriorityQueue.lock."""
    state = later(setup, state)
    _, queue = queue_functions.add_unschedulable_if_not_present(
        setup.queue, state.queue, goroutine.info, goroutine.cycle, NOW, lister_of(state)
    )
    return with_queue(state, queue), goroutine


def requeue(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """From 1.19 on: the lister's pod, found by name, goes back if it is there and unbound; under PriorityQueue.lock."""
    info = goroutine.info
    listed = state.lister[place(info.pod.name)]
    if listed is None or listed.node_name:
        return state, goroutine
    plugins = goroutine.rejected_by or info.unschedulable_plugins
    info = evolve(info, pod=listed, unschedulable_plugins=plugins)
    state = later(setup, state)
    _, queue = queue_functions.add_unschedulable_if_not_present(
        setup.queue, state.queue, info, state.queue.scheduling_cycle, NOW, lister_of(state)
    )
    return with_queue(state, queue), evolve(goroutine, info=info)


def add_nominated_pod(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """AddNominatedPod, whatever the error function found; under the nominator's lock, reading the lister."""
    queue = queue_functions.add_nominated_pod(setup.queue, state.queue, goroutine.pod, goroutine.node, lister_of(state))
    return with_queue(state, queue), goroutine


def record_failure(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """Up to 1.18: the event, then the condition by a PUT of the object at hand; a conflict is only logged.

    The object of a pod that was assumed has a node name, which a PUT of the status does not write.
    """
    pod = evolve(goroutine.pod, node_name="")
    if pod.condition == NOT_READY:
        return state, goroutine
    return put_status(state, pod, condition=NOT_READY).state, goroutine


def patch_failure(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """From 1.19 on: the event, then condition and nominatedNodeName by a patch of what differs from the object at hand.

    One action with `add_nominated_pod`: the one touches the API server's objects only, the other none of them.
    """
    pod, node = goroutine.pod, goroutine.node
    condition = None if pod.condition == NOT_READY else NOT_READY
    nominated = None if node is None or node == pod.nominated_node_name else node
    if condition is None and nominated is None:
        return state, goroutine
    return patch_status(state, pod, condition, nominated).state, goroutine
