"""What follows a failed attempt: the failure handler puts the pod back, calls Done and writes the condition.

Go: handleSchedulingFailure in pkg/scheduler/schedule_one.go. It runs in the scheduling cycle, and after a failed
binding in the binding's goroutine.
"""

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.in_flight import done as done_in_queue
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.queueing_hints.step import BINDING, CYCLE, OwnStep, Stepped, call_done, is_done
from model.world.api_server import NOT_READY, patch_status, place
from model.world.calls_in import lister_of, with_queue
from model.world.go_files import QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import own_step
from model.world.times import NOW, later, stored

# What a failed attempt leads to.
FAILURE = ("requeue", "done_after_requeue", "patch_failure")
# What follows if the pod does not go back, since it is gone or bound.
GONE = ("patch_failure", "done_after_failure")


def failed(goroutine: Goroutine) -> Goroutine:
    """The attempt failed. By no plugin, if `rejected_by` is empty: by an error."""
    return evolve(goroutine, steps=FAILURE)


def requeue(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The lister's pod, found by name, goes back if it is there and unbound, under PriorityQueue.lock.

    Its Done is that of the pod that was found, which may be another one of that name, unless the release looks at the
    UID. Of a pod that does not go back the handler's own Done is called, at the end of the handler.
    """
    listed = state.lister[place(goroutine.info.pod.name)]
    if listed is None or listed.node_name:
        return state, evolve(goroutine, steps=(*GONE, *goroutine.steps[2:]))
    if not setup.rules.goes_back(goroutine.uid, listed.uid):
        # The handler returns: no event, and no condition.
        state, goroutine = call_done(setup, state, goroutine)
        return state, evolve(goroutine, steps=goroutine.steps[2:])
    plugins = goroutine.rejected_by or goroutine.info.unschedulable_plugins
    info = evolve(goroutine.info, pod=listed, unschedulable_plugins=plugins, pending_plugins=goroutine.pending_by)
    state = later(setup, state)
    error, queue = queue_functions.put_back_if_not_present(
        setup.queue, state.queue, info, state.queue.scheduling_cycle, NOW, lister_of(state)
    )
    met_error("AddUnschedulableIfNotPresent", error, listed.uid)
    state, goroutine = stored(setup, state, queue), evolve(goroutine, info=info)
    if setup.rules.done_before_requeue(error is not None):
        # One step is enough. The events are looked through first; what Pop does to another pod in between may as well
        # come before.
        state, goroutine = done_after_requeue(setup, state, goroutine, None)
        return state, evolve(goroutine, steps=goroutine.steps[1:])
    return state, goroutine


def done_after_requeue(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The deferred Done of AddUnschedulableIfNotPresent."""
    state = with_queue(state, done_in_queue(setup.queue, state.queue, goroutine.pod.uid))
    return state, is_done(goroutine)


def patch_failure(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The event FailedScheduling, and the condition by a patch of the pod of that name."""
    if goroutine.pod.condition == NOT_READY:
        return state, goroutine
    reply = patch_status(state, goroutine.pod, NOT_READY)
    met_error("updatePod", reply.error, goroutine.pod.uid)
    return reply.state, goroutine


def done_after_failure(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The handler's own deferred Done, of a pod that did not go back (1.28.0 to 1.36, `calledDone`)."""
    return call_done(setup, state, goroutine)


_HANDLER = at(SCHEDULER_GO, "handleSchedulingFailure")
_ADD = via(_HANDLER, at(QUEUE_GO, "AddUnschedulableIfNotPresent"))
STEPS: tuple[OwnStep, ...] = (
    own_step(requeue, CYCLE, BINDING, place=_ADD, lock="PriorityQueue.lock"),
    own_step(
        done_after_requeue,
        CYCLE,
        BINDING,
        place=via(_ADD, at(QUEUE_GO, "done")),
        lock="PriorityQueue.lock",
        part_of=("requeue",),
        why="the lock is kept; from 1.31 on Pop comes in between with `fine`",
    ),
    own_step(patch_failure, CYCLE, BINDING, place=via(_HANDLER, at(SCHEDULER_GO, "updatePod"))),
    own_step(
        done_after_failure,
        CYCLE,
        BINDING,
        place=via(_HANDLER, at(QUEUE_GO, "Done")),
        lock="PriorityQueue.lock",
        part_of=("patch_failure",),
        why="nothing comes back to the queue between the two: the pod is gone or bound. What comes meanwhile is "
        "dropped by Done, or may as well come after it",
    ),
)
