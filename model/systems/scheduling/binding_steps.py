"""The binding goroutine: the Binding is posted, the cache told, a failure undone.

Go: the goroutine at the end of scheduleOne, Scheduler.bind (1.26 on: bindingCycle, handleBindingCycleError). There is
no Permit and no PreBind plugin.
"""

from model.evolve import evolve
from model.machine import Action
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.events import ASSIGNED_POD_DELETE
from model.systems.scheduling.api_server import bind_pod
from model.systems.scheduling.calls_in import NOW, call_cache, with_queue
from model.systems.scheduling.clock import later
from model.systems.scheduling.cycle_steps import Stepped, failed
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup


def bind(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """POST of the Binding. `reply`: "lost" if it is done but the answer never comes, "refused" if it never arrives."""
    assert action is not None
    reply = dict(action.args).get("reply")
    if reply == "refused":
        return state, _failed(setup, goroutine)
    answer = bind_pod(state, goroutine.pod, str(goroutine.node), lambda: setup.rules.binding_honours_uid())
    if answer.refused or reply == "lost":
        return answer.state, _failed(setup, goroutine)
    return answer.state, evolve(goroutine, steps=("finish_binding",))


def _failed(setup: Setup, goroutine: Goroutine) -> Goroutine:
    """A failed binding: the answer is a step of its own, so that the bind event may arrive first."""
    undo = ("bind_failed", "finish_binding", *setup.rules.after_bind_error())
    return evolve(failed(setup, goroutine, no_node_fits=False), steps=undo, node=goroutine.node)


def bind_failed(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The answer arrives. Touches nothing; what follows does."""
    return state, goroutine


def finish_binding(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """FinishBinding, after a failure too; under schedulerCache.mu.

    One action with a bind that succeeded: until then the assumed pod does not expire, and the bind event, which makes
    this a no-op, may as well come after it. One action with ForgetPod after it, for which it makes no difference.
    """
    _, state = call_cache(setup, state, "finish_binding", goroutine.pod, NOW)
    return state, goroutine


def forget_pod(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """ForgetPod, under schedulerCache.mu. Pods are moved afterwards only if it succeeded."""
    outcome, state = call_cache(setup, state, "forget_pod", goroutine.pod)
    then = failed(setup, goroutine, no_node_fits=False)
    if outcome.error is None and "move_after_forget" in goroutine.steps:
        then = evolve(then, steps=("move_after_forget", *then.steps))
    return state, then


def move_after_forget(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """MoveAllToActiveOrBackoffQueue(AssignedPodDelete) from 1.23 on, under PriorityQueue.lock; before the failure is
    recorded, so the pod itself goes to the backoff queue.
    """
    state = later(setup, state)
    queue = queue_functions.move_all_to_active_or_backoff_queue(setup.queue, state.queue, NOW, ASSIGNED_POD_DELETE)
    return with_queue(state, queue), goroutine
