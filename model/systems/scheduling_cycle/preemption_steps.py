"""Preemption in scheduling-cycle: victims by the component, budgets, an extender, requests that are not answered.

Go: as in model/systems/scheduling/preemption_steps.py. The search, the extender's answer and the choice of a node are
one step: nothing that others do meanwhile is read again.
"""

from collections.abc import Iterator
from typing import cast

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.objects import Pod
from model.scheduler.preemption.preempt import CLEAR
from model.scheduler.preemption.waiting_victims import ends_of
from model.scheduler.queue.nominator import pods_for_node
from model.scheduler.volumes import BIND_VOLUMES
from model.systems.scheduling import failure_steps, fitting, preemption_steps as scheduling
from model.systems.scheduling.preemption_steps import preemptor
from model.systems.scheduling.step import OwnStep
from model.systems.scheduling_cycle.preempting import Decision, decisions
from model.systems.scheduling_cycle.records import CycleGoroutine, Eviction, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import (
    NOT_ANSWERED,
    UNANSWERED,
    Stepped,
    is_unanswered,
    replaced,
    unanswered,
    with_answers,
)
from model.variables import Bag
from model.world.api_server import CONFLICT, delete_pod, live, patch_status
from model.world.goroutines import Choice
from model.world.state import left

_NAMES = ("node", "victims", "extender")
# The steps that PreBind is here.
_PRE_BIND = ("pre_bind", BIND_VOLUMES)


def _decisions(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> dict[Choice, Decision]:
    pod = preemptor(setup, state, goroutine)
    return {(): Decision()} if pod is None else decisions(setup, state, pod)


def _decided(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> tuple[SchedulingCycle, Decision]:
    """What the action says that preemption comes to. The extender has used its power, and an error was met."""
    assert action is not None
    choice = tuple(pair for pair in action.args if pair[0] in _NAMES)
    decision = _decisions(setup, state, goroutine)[choice]
    if "extender" in dict(choice):
        state = evolve(state, used=state.used.once_more("preempt_extender"))
    if decision.error:
        met_error("Preempt", decision.error, goroutine.pod.uid)
    return (evolve(state, crashed=f"Preempt: {decision.error}") if decision.panic else state), decision


def _with(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, pod: Pod, decision: Decision
) -> CycleGoroutine:
    """The goroutine with the node, the victims, and the pods of lower priority that lose their nomination."""
    nominated = pods_for_node(fitting.nominations(setup.queue, state.queue), decision.node)
    clear = tuple(each for each in nominated if each.priority < pod.priority)
    return evolve(goroutine, node=decision.node, victims=decision.victims, clear=clear)


def preempt(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """Up to 1.18: as in scheduling. Where nothing helps, the pod's own nomination is taken back in the API."""
    state, decision = _decided(setup, state, goroutine, action)
    pod = preemptor(setup, state, goroutine)
    if state.crashed:
        return state, evolve(goroutine, steps=())
    if pod is None or not (decision.node or decision.hopeless):
        return state, cast(CycleGoroutine, scheduling.without_preemption(goroutine))
    if decision.hopeless:
        left = cast(CycleGoroutine, scheduling.without_preemption(goroutine))
        return state, evolve(left, clear=(pod,), steps=("delete_victims", *left.steps))
    chosen = _with(setup, state, goroutine, pod, decision)
    if not setup.rules.preempts_first():
        return state, evolve(chosen, info=evolve(goroutine.info, pod=pod))
    return state, evolve(chosen, at_hand=pod)


def post_filter(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """1.19 on: as in scheduling. Where nothing helps, releases to 1.23.1 clear the nomination at once, in the API."""
    state, decision = _decided(setup, state, goroutine, action)
    pod = preemptor(setup, state, goroutine)
    if pod is None:
        met_error("PostFilter", "the pod is not found", goroutine.pod.uid)
    if state.crashed:
        return state, evolve(goroutine, steps=())
    if decision.node:
        assert pod is not None
        return state, _with(setup, state, goroutine, pod, decision)
    nominated = decision.nominated
    if decision.hopeless and setup.rules.nominate_without_candidate() is None:
        assert pod is not None
        if pod.nominated_node_name:
            state = patch_status(state, pod, nominated=CLEAR).state
        nominated = None
    return state, evolve(goroutine, node=nominated)


def _answers_about_victims(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """The API server answers all requests, or one of them not."""
    yield ()
    if left(state, "patch_errors", setup.scope.patch_errors):
        cancels = setup.rules.cancels_pre_bind()
        there = (uid for uid in goroutine.victims if not (cancels and in_pre_bind(state, uid)))
        ends = ((uid, ends_of(setup.rules, state.waiting_pods, uid)) for uid in there)
        yield from ((*UNANSWERED, ("victim", uid)) for uid, end in ends if "delete" in end)


def delete_victims(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """Each victim is deleted, by name, or rejected at Permit; then pods nominated there lose their nomination.

    A victim about which a request fails ends preemption with an error: from 1.19 on the pod is not nominated.
    """
    fails = str(dict(action.args)["victim"]) if action is not None and is_unanswered(action) else ""
    for uid in goroutine.victims:
        error, state = _removed(setup, state, goroutine, uid, uid == fails)
        met_error("DeletePod", error, uid)
        if error and not scheduling.is_passed_over(setup, error):
            node = scheduling.nominated_after_error(setup, goroutine)
            return state, evolve(goroutine, victims=(), clear=(), node=node)
    return cast(Stepped, scheduling.delete_victims(setup, state, evolve(goroutine, victims=()), None))


def in_pre_bind(state: SchedulingCycle, uid: str) -> CycleGoroutine | None:
    """The binding whose pod is this one and is in PreBind, as `podsInPreBindMap` has it until MarkPrebound."""
    found: CycleGoroutine | None = state.bindings.ask(_in_pre_bind, uid)
    return found


def _in_pre_bind(bindings: Bag[CycleGoroutine], uid: str) -> CycleGoroutine | None:
    return next((each for each in bindings if each.pod.uid == uid and each.steps[0] in _PRE_BIND), None)


def _removed(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, uid: str, fails: bool
) -> tuple[str | None, SchedulingCycle]:
    """The error of a request about the victim, and the state."""
    binding = in_pre_bind(state, uid) if setup.rules.cancels_pre_bind() else None
    if binding is not None:
        bindings = state.bindings.less(binding).start(evolve(binding, canceled=True))
        return None, evolve(state, bindings=bindings)
    for end in ends_of(setup.rules, state.waiting_pods, uid):
        if end == "preempt":
            state = setup.preempt_waiting_pod(state, uid)
            continue
        if end == "reject":
            _, state = setup.reject_waiting_pod(state, Pod("", uid))
            continue
        if fails:
            return NOT_ANSWERED, evolve(state, used=state.used.once_more("patch_errors"))
        victim = Pod(uid.partition("#")[0], uid)
        current = live(state, victim)
        if current is not None and current.uid != uid and setup.rules.delete_names_uid():
            return CONFLICT, state
        state = cast(SchedulingCycle, scheduling.marked(setup, state, victim))
        reply = delete_pod(state, victim, bool(setup.scope.graceful), bool(setup.scope.blocked_deletes))
        if reply.error is not None:
            return reply.error, reply.state
        state = _noted(reply.state, goroutine, victim)
    return None, state


def _noted(state: SchedulingCycle, goroutine: CycleGoroutine, victim: Pod) -> SchedulingCycle:
    """The state with the note of whom preemption has deleted, and without notes of pods that are gone."""
    notes = {each for each in state.evictions if _terminates(state, each.victim)}
    if _terminates(state, victim.uid):
        notes.add(Eviction(goroutine.pod.uid, victim.uid, goroutine.node or ""))
    return evolve(state, evictions=tuple(sorted(notes, key=repr)))


def _terminates(state: SchedulingCycle, uid: str) -> bool:
    return any(pod is not None and pod.uid == uid and pod.terminating for pod in state.pods)


def set_nominated_node_name(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """Up to 1.18. Not answered: as if refused."""
    if not is_unanswered(action):
        return cast(Stepped, scheduling.set_nominated_node_name(setup, state, goroutine, action))
    state = unanswered(state, "SetNominatedNodeName", goroutine.pod.uid)
    return cast(Stepped, scheduling.not_nominated(setup, state, goroutine))


def record_failure(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """Up to 1.18: the condition. An error is only logged."""
    if is_unanswered(action):
        return unanswered(state, "updatePodCondition", goroutine.pod.uid), goroutine
    return cast(Stepped, failure_steps.record_failure(setup, state, goroutine, action))


def patch_failure(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """1.19 on: condition and nomination. An error is only logged."""
    if is_unanswered(action):
        return unanswered(state, "updatePod", goroutine.pod.uid), goroutine
    return cast(Stepped, failure_steps.patch_failure(setup, state, goroutine, action))


_SCHEDULING = {step.name: step for step in (*scheduling.STEPS, *failure_steps.EARLY_STEPS, *failure_steps.LATE_STEPS)}
_BY_NAME: dict[str, OwnStep] = {
    **{
        does.__name__: replaced(
            _SCHEDULING[does.__name__],
            does=does,
            options=lambda setup, state, goroutine: iter(_decisions(setup, state, goroutine)),
            chooses=_NAMES,
            power_of_argument={"extender": "preempt_extender"},
        )
        for does in (preempt, post_filter)
    },
    "delete_victims": replaced(
        with_answers(_SCHEDULING["delete_victims"], delete_victims),
        options=_answers_about_victims,
        chooses=("answer", "victim"),
    ),
    **{
        does.__name__: with_answers(_SCHEDULING[does.__name__], does)
        for does in (set_nominated_node_name, record_failure, patch_failure)
    },
}


def with_preemption(steps: tuple[OwnStep, ...]) -> tuple[OwnStep, ...]:
    """The steps, with those of this file in the place of those of scheduling."""
    return tuple(_BY_NAME.get(step.name, step) for step in steps)
