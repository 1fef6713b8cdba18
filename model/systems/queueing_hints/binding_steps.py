"""The binding goroutine: Permit, PreBind, Bind; Done where the release calls Done; a failure is undone.

Go: bindingCycle, handleBindingCycleError in pkg/scheduler/schedule_one.go.
"""

from collections.abc import Iterator

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.calls import move_all
from model.scheduler.cycle import by_uid
from model.scheduler.queue.events import ASSIGNED_POD_DELETE
from model.scheduler.queue.state import InFlightEvent
from model.systems.queueing_hints.failure_steps import failed
from model.systems.queueing_hints.plugins import PERMIT
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.queueing_hints.step import (
    BINDING,
    CACHE_LOCK,
    OwnStep,
    Stepped,
    call_done,
    ended,
)
from model.world.api_server import bind_pod
from model.world.calls_in import call_cache, execute
from model.world.events import is_about
from model.world.go_files import CACHE_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import Choice, own_step
from model.world.state import left
from model.world.times import NOW

# What may become of PreBind and of the POST besides an answer, with the power that it takes.
REPLIES = {"lost": "lost_replies", "refused": "bind_errors", "error": "bind_errors"}


def _of_permit(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> Iterator[Choice]:
    yield from ((("permit", "allowed"),), (("permit", "rejected"),))


def wait_on_permit(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """WaitOnPermit ends: the pod is allowed, or it is rejected, or its time is over, which is the same to the queue."""
    if action is not None and action["permit"] == "allowed":
        return state, goroutine
    return state, _undone(evolve(goroutine, rejected_by=frozenset({PERMIT})))


def _undone(goroutine: Goroutine) -> Goroutine:
    """The binding failed: the answer is a step of its own, so that the bind event may arrive first."""
    return evolve(goroutine, steps=("binding_failed",))


def done_after_permit(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """WaitOnPermit is over, and Done follows (1.33 on)."""
    return call_done(setup, state, goroutine)


def _of_pre_bind(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> Iterator[Choice]:
    yield ()
    if left(state, "bind_errors", setup.scope.bind_errors):
        yield (("reply", "error"),)


def pre_bind(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """RunPreBindPlugins. In 1.32 Done follows."""
    if action is not None and "reply" in dict(action.args):
        met_error("PreBind", "a plugin fails", goroutine.uid)
        return evolve(state, used=state.used.once_more("bind_errors")), _undone(goroutine)
    if setup.rules.done_in_binding() == "PreBind":
        return call_done(setup, state, goroutine)
    return state, goroutine


def _waits_for_informer(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> bool:
    """Whether the Binding waits until the informer has heard why it will be refused; see `stale_binds`."""
    most, pod = setup.scope.stale_binds, goroutine.pod
    if not most or not state.pod_watch.ask(is_about, pod.name):
        return False
    kept = sum(isinstance(each, InFlightEvent) for each in state.queue.in_flight_events)
    running = (each for each in (state.cycle, *state.bindings) if each is not None)
    if max(kept, *(len(each.events) for each in running)) < most:
        return False
    return bind_pod(state, pod, pod.node_name, by_uid).refused


def _replies(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> Iterator[Choice]:
    if _waits_for_informer(setup, state, goroutine):
        return
    yield ()
    for reply in ("lost", "refused"):
        if left(state, REPLIES[reply], getattr(setup.scope, REPLIES[reply])):
            yield (("reply", reply),)


def bind(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """POST of the Binding. `reply`: "lost" if it is done but the answer never comes, "refused" if it never arrives."""
    assert action is not None
    reply = dict(action.args).get("reply")
    if reply is not None:
        state = evolve(state, used=state.used.once_more(REPLIES[str(reply)]))
    if reply == "refused":
        met_error("Bind", "the request does not reach the API server", goroutine.uid)
        return state, _undone(goroutine)
    answer = bind_pod(state, goroutine.pod, goroutine.pod.node_name, by_uid)
    if answer.refused or reply == "lost":
        met_error("Bind", answer.error or "the answer does not come", goroutine.uid)
        return answer.state, _undone(goroutine)
    return answer.state, evolve(goroutine, steps=("finish_binding",))


def finish_binding(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """FinishBinding. Up to 1.31 Done follows, at the end of the goroutine."""
    _, state = call_cache(setup, state, "finish_binding", goroutine.pod, NOW)
    if setup.rules.done_in_binding() == "Bind":
        return call_done(setup, state, ended(goroutine))
    return state, ended(goroutine)


def binding_failed(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """ForgetPod; if it succeeds, AssignedPodDelete moves pods and is kept for those in flight, this one too."""
    outcome, state = call_cache(setup, state, "forget_pod", goroutine.pod)
    if outcome.error is None:
        event = setup.queue.event_of(ASSIGNED_POD_DELETE, goroutine.pod, None)
        _, state = execute(setup, state, move_all(event))
    then = failed(goroutine)
    if setup.rules.done_again_after_bind_error():
        then = evolve(then, steps=(*then.steps, "done_again"))
    return state, then


def done_again(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The goroutine goes on to its own Done (1.28.0-beta.0)."""
    return call_done(setup, state, goroutine)


_CYCLE_GO = at(SCHEDULER_GO, "bindingCycle")
_ERROR_GO = at(SCHEDULER_GO, "handleBindingCycleError")
STEPS: tuple[OwnStep, ...] = (
    own_step(
        wait_on_permit,
        BINDING,
        place=via(_CYCLE_GO, at(SCHEDULER_GO, "WaitOnPermit")),
        power=("permits",),
        chooses=("permit",),
        options=_of_permit,
    ),
    own_step(
        done_after_permit, BINDING, place=via(_CYCLE_GO, at(QUEUE_GO, "Done")), lock="PriorityQueue.lock", by_rule=True
    ),
    own_step(pre_bind, BINDING, place=_CYCLE_GO, chooses=("reply",), options=_of_pre_bind, power_of_choice=REPLIES),
    own_step(
        bind,
        BINDING,
        place=at(SCHEDULER_GO, "bind"),
        chooses=("reply",),
        options=_replies,
        power_of_choice=REPLIES,
    ),
    own_step(
        finish_binding,
        BINDING,
        place=via(_CYCLE_GO, at(CACHE_GO, "FinishBinding")),
        lock=CACHE_LOCK,
        part_of=("bind",),
        why="until then the assumed pod does not expire; the bind event, which makes FinishBinding a no-op, may as "
        "well come after it. Done of a bound pod releases what nobody will ask for",
    ),
    own_step(
        binding_failed, BINDING, place=via(_ERROR_GO, at(QUEUE_GO, "MoveAllToActiveOrBackoffQueue")), lock=CACHE_LOCK
    ),
    own_step(done_again, BINDING, place=via(_CYCLE_GO, at(QUEUE_GO, "Done")), lock="PriorityQueue.lock", by_rule=True),
)
