"""Permit: plugins allow, reject, or have the pod wait; the goroutine of the binding waits for what they decide.

Go: RunPermitPlugins, WaitOnPermit in framework.go; up to 1.17 RunPermitPlugins also waits, in the goroutine.
"""

from collections.abc import Iterator
from typing import Any

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.objects import Pod
from model.places import Place, always
from model.scheduler import waiting_pods
from model.scheduler.cycle_points import Rejecting
from model.scheduler.waiting_pods import WaitingPod, WaitingPods
from model.systems.scheduling.step import BINDING, CYCLE, OwnStep
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import group_of, in_second_profile
from model.systems.scheduling_cycle.step import (
    FAILURES,
    POWER_OF_FAILURE,
    UNSCHEDULABLE,
    Stepped,
    fails,
    may_fail,
)
from model.world.api_server import place
from model.world.go_files import via
from model.world.goroutines import Choice, own_step

_WAITING = ("listen", "wait_on_permit")


def of_group(setup: CycleSetup, waiting: WaitingPods, pod: Pod) -> Iterator[WaitingPod]:
    """The waiting pods of the pod's group that a plugin of the pod's profile sees, without the pod itself."""
    scope = setup.scope
    if not scope.groups:
        return
    own, profile = group_of(scope, place(pod.name)), in_second_profile(scope, place(pod.name))
    for each in waiting:
        at = place(each.uid.partition("#")[0])
        seen = in_second_profile(scope, at) == profile or setup.rules.sees_all_profiles()
        if at != place(pod.name) and group_of(scope, at) == own and seen:
            yield each


def _group_is_complete(setup: CycleSetup, state: SchedulingCycle, pod: Pod) -> bool:
    """Whether every other pod of the group waits, or is bound as far as the informer knows."""
    own = group_of(setup.scope, place(pod.name))
    others = [at for at in range(setup.scope.pods) if group_of(setup.scope, at) == own and at != place(pod.name)]
    there = {place(each.uid.partition("#")[0]) for each in of_group(setup, state.waiting_pods, pod)}
    there |= {at for at, listed in enumerate(state.lister) if listed is not None and listed.node_name}
    return there.issuperset(others)


def _answers(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """How many of the plugins have the pod wait; or one fails."""
    if setup.scope.groups:
        yield ()
    else:
        for waits in range(setup.scope.permit + 1):
            yield (("waits", waits),) if waits else ()
    if may_fail(setup, state):
        yield from FAILURES


def permit(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """Permit of each plugin. If one says Wait, the pod goes into the map of waiting pods in the next step."""
    arguments = {} if action is None else dict(action.args)
    if "fails" in arguments:
        return _failed(setup, state, goroutine, arguments["fails"] == UNSCHEDULABLE, "a plugin fails")
    waits = int(arguments.get("waits", 0))
    if setup.scope.groups:
        complete, waiting = _group_is_complete(setup, state, goroutine.pod), state.waiting_pods
        waits = 0 if complete else 1
        for other in of_group(setup, waiting, goroutine.pod) if complete else ():
            waiting = waiting_pods.add(waiting, waiting_pods.allow(setup.rules, other) if other.pending else other)
        state = evolve(state, waiting_pods=waiting)
    if not waits:
        return state, evolve(goroutine, steps=without_wait(goroutine.steps))
    return state, evolve(goroutine, waits=waits, steps=("add_waiting_pod", *goroutine.steps))


def add_waiting_pod(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """The map of waiting pods has the pod from now on."""
    waiting = WaitingPod(goroutine.pod.uid, goroutine.waits)
    if setup.rules.rejects_gone_pod(goroutine.pod, state.lister[place(goroutine.pod.name)]):
        waiting = waiting_pods.reject(setup.rules, waiting)
    return evolve(state, waiting_pods=waiting_pods.add(state.waiting_pods, waiting)), evolve(goroutine, waits=0)


def without_wait(steps: tuple[str, ...]) -> tuple[str, ...]:
    """The steps of a goroutine whose pod does not wait."""
    return tuple(step for step in steps if step not in _WAITING)


def _failed(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, rejected: bool, why: str) -> Stepped:
    state = evolve(state, used=state.used.once_more("failures"))
    met_error("Permit", why, goroutine.pod.uid)
    binding = "permit" in setup.rules.points_in_binding()
    undo = setup.rules.after_failed_permit()
    return state, fails(setup, goroutine, undo, "permit" if rejected else None, binding)


def listen(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """The goroutine receives from the channel of its waiting pod, from now on."""
    waiting = waiting_pods.get(state.waiting_pods, goroutine.pod.uid)
    if waiting is None:
        return state, evolve(goroutine, steps=without_wait(goroutine.steps))
    told = evolve(waiting, listening=True)
    return evolve(state, waiting_pods=waiting_pods.add(state.waiting_pods, told)), goroutine


def _signals(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """Nothing as long as nothing was sent that has arrived."""
    waiting = waiting_pods.get(state.waiting_pods, goroutine.pod.uid)
    if waiting is not None and waiting.signal:
        yield ()


def wait_on_permit(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """The wait ends with what was sent, and the pod leaves the map."""
    waiting = waiting_pods.get(state.waiting_pods, goroutine.pod.uid)
    assert waiting is not None
    state = evolve(state, waiting_pods=waiting_pods.remove(state.waiting_pods, goroutine.pod.uid))
    if waiting.signal == "allowed":
        return state, goroutine
    # A pod that was preempted is not rejected: its wait has ended with an error.
    at: Rejecting | None = None if waiting.signal == "preempted" else "wait_on_permit"
    return state, fails(setup, goroutine, setup.rules.after_failed_permit(), at, binding=True)


def when_groups_wait(scope: Any) -> bool:
    """Whether a plugin looks for waiting pods while it is asked for another one, which may come in between."""
    return bool(scope.fine or scope.groups)


_PERMIT_GO = always("framework.go RunPermitPlugins")
_WAIT_GO: Place = (
    ("1.13.0", "framework.go RunPermitPlugins"),
    ("1.18.0-alpha.1", "framework.go WaitOnPermit"),
)
STEPS: tuple[OwnStep, ...] = (
    own_step(
        permit,
        CYCLE,
        BINDING,
        place=_PERMIT_GO,
        lock="waitingPodsMap.mu",
        chooses=("waits", "fails"),
        options=_answers,
        needs=lambda scope: scope.permit,
        power_of_choice=POWER_OF_FAILURE,
        by_rule=True,
    ),
    own_step(
        add_waiting_pod,
        CYCLE,
        BINDING,
        place=via(_PERMIT_GO, always("waiting_pods_map.go add")),
        lock="waitingPodsMap.mu",
        part_of=("permit",),
        why="a plugin that acts by itself knows of no waiting pod but from the map",
        apart=when_groups_wait,
        needs=lambda scope: scope.permit,
        by_rule=True,
    ),
    own_step(listen, BINDING, place=_WAIT_GO, lock="waitingPodsMap.mu", needs=lambda scope: scope.permit, by_rule=True),
    own_step(
        wait_on_permit,
        BINDING,
        place=_WAIT_GO,
        lock="waitingPodsMap.mu",
        options=_signals,
        needs=lambda scope: scope.permit,
        by_rule=True,
    ),
)
