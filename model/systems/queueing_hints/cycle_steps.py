"""The scheduling cycle: from Pop to assume, or to a failure.

Go: ScheduleOne and schedulingCycle in pkg/scheduler/schedule_one.go. One cycle at a time.
"""

from collections.abc import Iterator

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.eventhandlers import after
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES
from model.systems.queueing_hints.failure_steps import failed
from model.systems.queueing_hints.normal import with_few_attempts
from model.systems.queueing_hints.plugins import PENDING, rejecting
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.queueing_hints.step import (
    CACHE_LOCK,
    CYCLE,
    OwnStep,
    Stepped,
    call_done,
    ended,
)
from model.world.api_server import place
from model.world.calls_in import call_cache, execute, lister_of
from model.world.go_files import CACHE_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import Choice, own_step
from model.world.state import left
from model.world.step import Step
from model.world.times import later, stored

# The one node.
NODE = "n1"
# What an attempt may come to besides, with the power that it takes.
OUTCOMES = {"error": "errors", "unknown profile": "unknown_profiles"}


def pop(setup: HintsSetup, state: QueueingHints) -> QueueingHints:
    """Pop: the first of activeQ is in the cycle, after those that Pop discards."""
    queue = queue_functions.discard_before_pop(setup.queue, state.queue)
    if not queue.active:
        return evolve(state, queue=queue)
    info, queue = queue_functions.pop(setup.queue, queue)
    info = with_few_attempts(setup, info, popped=True)
    return evolve(state, queue=queue, cycle=Goroutine(("schedule",), info, info.pod.uid))


def _outcomes(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> Iterator[Choice]:
    yield ()
    for outcome, power in OUTCOMES.items():
        if left(state, power, getattr(setup.scope, power)):
            yield (("outcome", outcome),)


def schedule(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """`frameworkForPod`, `skipPodSchedule`, then the filters, which read the snapshot: each plugin its condition.

    When Reserve rejects the pod, AssumePod came before, and ForgetPod follows: nobody asks in between. One step.
    `skipPodSchedule` asks only whether the pod is assumed; the filters read what was copied just before.
    """
    outcome = dict(action.args).get("outcome") if action is not None else None
    if outcome is not None:
        state = evolve(state, used=state.used.once_more(OUTCOMES[str(outcome)]))
    if outcome == "unknown profile":
        met_error("frameworkForPod", "the pod's scheduler name is that of no profile", goroutine.uid)
        return _left(setup, state, goroutine, setup.rules.done_without_profile())
    calls = setup.rules.skip_pod_schedule(goroutine.pod)
    while calls and calls[0].component != "cycle":
        answer, state = execute(setup, state, calls[0])
        calls = after(setup.rules, calls, answer)
    if not calls:
        return _left(setup, state, goroutine, setup.rules.done_when_skipped())
    if outcome == "error":
        met_error("schedulePod", "the attempt fails by an error", goroutine.uid)
        return state, failed(goroutine)
    if state.queue.lacks_claims:
        # PreFilter looks for the claims as PreEnqueue does. When it rejects the pod, no filter runs.
        return state, failed(evolve(goroutine, rejected_by=frozenset({DYNAMIC_RESOURCES})))
    plugins = rejecting(state, goroutine.pod)
    if plugins:
        # Of one node the first plugin that rejects it ends the filters. Of several nodes each may be another plugin's.
        return state, failed(evolve(goroutine, rejected_by=frozenset(plugins[: 1 if setup.scope.pre_check else None])))
    if state.unallocated:
        by = frozenset({PENDING[0]})
        pending = setup.rules.pending_plugins_known()
        return state, failed(evolve(goroutine, pending_by=by) if pending else evolve(goroutine, rejected_by=by))
    return state, evolve(goroutine, steps=("assume",))


def _left(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, with_done: bool) -> Stepped:
    """The cycle ends without an attempt."""
    if with_done:
        state, goroutine = call_done(setup, state, goroutine)
    return state, ended(goroutine)


def _waits(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> Iterator[Choice]:
    yield ()
    if left(state, "permits", setup.scope.permits):
        yield (("permit", "wait"),)
    if left(state, "activations", setup.scope.activations):
        for pod in state.lister:
            if pod is not None and not pod.node_name and pod.name != goroutine.pod.name:
                yield (("activates", pod.name),)


def assume(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """AssumePod and the Permit plugins; then the binding goroutine starts, after Activate if a plugin asked so."""
    pod = evolve(goroutine.pod, node_name=NODE)
    outcome, state = call_cache(setup, state, "assume_pod", pod)
    if outcome.error is not None:
        return state, failed(goroutine)
    chosen = {} if action is None else dict(action.args)
    steps: tuple[str, ...] = ("pre_bind", "bind")
    if setup.rules.done_in_binding() == "WaitOnPermit":
        steps = ("done_after_permit", *steps)
    if "permit" in chosen:
        state = evolve(state, used=state.used.once_more("permits"))
        steps = ("wait_on_permit", *steps)
    binding = evolve(goroutine, steps=steps, info=evolve(goroutine.info, pod=pod))
    if "activates" in chosen:
        state = evolve(state, used=state.used.once_more("activations"))
        return state, evolve(binding, steps=("activate", *steps), activates=str(chosen["activates"]))
    return evolve(state, bindings=state.bindings.start(binding)), ended(goroutine)


def activate(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine, action: Action | None) -> Stepped:
    """Activate of the pod that a plugin put into PodsToActivate, if the informer has it; then the binding starts.

    A plugin may also ask at the end of the binding: the queue does the same then.
    """
    pod = state.lister[place(goroutine.activates)]
    if pod is not None:
        state = later(setup, state)
        state = stored(setup, state, queue_functions.activate(setup.queue, state.queue, pod, lister_of(state)))
    binding = evolve(goroutine, activates="")
    return evolve(state, bindings=state.bindings.start(binding)), ended(goroutine)


POP = Step(name="pop", place=at(QUEUE_GO, "Pop"))
STEPS: tuple[OwnStep, ...] = (
    own_step(
        schedule,
        CYCLE,
        place=at(SCHEDULER_GO, "ScheduleOne, skipPodSchedule, schedulePod"),
        lock=CACHE_LOCK,
        chooses=("outcome",),
        options=_outcomes,
        power_of_choice=OUTCOMES,
    ),
    own_step(
        assume,
        CYCLE,
        place=via(at(SCHEDULER_GO, "assume"), at(CACHE_GO, "AssumePod")),
        lock=CACHE_LOCK,
        chooses=("permit", "activates"),
        options=_waits,
        power_of_choice={"wait": "permits"},
    ),
    own_step(
        activate,
        CYCLE,
        place=via(at(SCHEDULER_GO, "schedulingCycle"), at(QUEUE_GO, "Activate")),
        lock="PriorityQueue.lock",
        power=("activations",),
    ),
)
