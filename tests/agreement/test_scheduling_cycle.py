"""The steps of scheduling-cycle come in the order in which `schedule_one` makes its calls, whatever fails.

`schedule_one` and `schedule_one_1_17` replay every recorded cycle. So the tables of steps are no second opinion. Of
1.18 to 1.27 there are no recordings: there two readings of the Go source are compared.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from attrs import evolve

from model.machine import Action
from model.objects import Pod
from model.releases import known_release, rules_for
from model.scheduler import schedule_one_1_17, schedule_one_1_18
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.extenders import Extender, Extenders
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    Call,
    ErrorFuncCall,
    ExtenderAnswer,
    ExtenderCall,
    PluginAnswer,
    PluginCall,
    Point,
    QueueCall,
    driven,
)
from model.scheduler.framework.plugin_calls import calls_made
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.schedule_one import schedule_one
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from model.systems.scheduling_cycle.extender_binding import BIND_BY_EXTENDER, next_binder

RELEASES = (
    "1.17.10", "1.18.4", "1.18.20", "1.19.4", "1.20.8", "1.22.6", "1.23.5", "1.24.4", "1.25.2", "1.26.4", "1.27.8",
    "1.28.14", "1.31.13", "1.32.0", "1.34.1", "1.35.1",
)  # fmt: skip
Points = Mapping[Point, tuple[str, ...]]
POINTS: Points = {
    "Filter": ("1",),
    "Reserve": ("1", "2"),
    "Unreserve": ("1", "2"),
    "Permit": ("1",),
    "PreBind": ("1",),
    "Bind": ("1",),
}
# How the system names the request with the verb Bind.
BIND_OF_EXTENDER = "Bind of extender"
SCOPE = SchedulingCycleScope(
    pods=1, nodes=1, goroutines=1, reserves=2, permit=1, failures=3, bind_errors=1, fine=1, timeouts=1
)
# What a plugin answers: "error", "unschedulable", and at Permit "wait" with what becomes of the wait.
Answers = Mapping[tuple[str, str], str]
CODES = {"error": Code.ERROR, "unschedulable": Code.UNSCHEDULABLE, "allowed": Code.WAIT, "rejected": Code.WAIT}


def all_answers() -> Iterator[Answers]:
    """Nobody fails; each single failure; each pair of failures; each with what may become of a wait."""
    both = ("error", "unschedulable")
    single: list[tuple[tuple[str, str], str]] = [(("Filter", "1"), "error"), (("Bind", "1"), "error")]
    for point, plugin in (("Reserve", "1"), ("Reserve", "2"), ("PreBind", "1")):
        single += (((point, plugin), code) for code in both)
    single += ((("Permit", "1"), code) for code in (*both, "allowed", "rejected"))
    yield {}
    for one, other in product(single, single):
        yield dict((one, other))


def called(
    release: str, answers: Answers, extenders: Extenders = (), points: Points = POINTS, known_profile: bool = True
) -> list[str]:
    """What `schedule_one` calls of plugins that take or give, of the cache and of the queue."""
    found: list[str] = []

    def answer(call: Call) -> Any:
        match call:
            case PluginCall():
                plugin = "1" if call.plugin == "DefaultBinder" else call.plugin
                if call.point != "Filter":
                    found.append(f"{call.point} {plugin}")
                code = CODES.get(answers.get((call.point, plugin), ""), Code.SUCCESS)
                return PluginAnswer(Status(code, ("no",) if code is not Code.SUCCESS else ()), timeout=1000)
            case ExtenderCall(verb="Bind"):
                found.append(f"{BIND_OF_EXTENDER} {call.extender}")
                return ExtenderAnswer("no" if (BIND_OF_EXTENDER, call.extender) in answers else None)
            case ExtenderCall():
                return ExtenderAnswer()
            case CacheCall():
                found.append(call.function)
            case QueueCall(function="AddUnschedulableIfNotPresent") | ErrorFuncCall():
                found.append("record")
            case QueueCall(function="MoveAllToActiveOrBackoffQueue" | "DeleteNominatedPodIfExists"):
                found.append(call.function)
            case Ask(what="snapshot"):
                return ("n1",)
            case Ask(what="pod"):
                return POD
            case Ask(what="permit"):
                return permit_status(answers)
            case Ask():
                return False
        return None

    driven(_cycle(release, extenders, points, known_profile), answer)
    return found


POD = Pod("p1", "p1#1")


def _cycle(release: str, extenders: Extenders, points: Points, known_profile: bool) -> Any:
    at = known_release(release)
    # A Bind plugin of 1.17 comes before the extenders. The Bind plugin of the system is that of the scheduler itself.
    profile = Profile({**points, "Bind": ()}) if extenders and at.minor < 18 else Profile(points)
    if at.minor > 18:
        return schedule_one(CycleSetup(rules_for(CycleCallRules, at), profile, extenders), POD, 0, known_profile)
    rules = rules_for(ChoiceRules, at), rules_for(PreemptionRules, at)
    if at.minor == 18:
        new = schedule_one_1_18.Setup(*rules, profile, extenders, False, framework=rules_for(FrameworkRules, at))
        return schedule_one_1_18.schedule_one(new, POD, 0, known_profile)
    setup = schedule_one_1_17.Setup(*rules, profile, extenders, preempts=False)
    return schedule_one_1_17.schedule_one(setup, POD, 0)


def permit_status(answers: Answers) -> Status:
    """How the wait ends."""
    return Status() if answers[("Permit", "1")] == "allowed" else Status(Code.UNSCHEDULABLE, ("no",), "1")


# Step -> the call that the step is.
CALLS = {
    "assume": "AssumePod",
    "delete_nominated_pod": "DeleteNominatedPodIfExists",
    "permit": "Permit 1",
    "pre_bind": "PreBind 1",
    "bind": "Bind 1",
    "finish_binding": "FinishBinding",
    "forget_pod": "ForgetPod",
    "move_after_forget": "MoveAllToActiveOrBackoffQueue",
    "move_others_after_forget": "MoveAllToActiveOrBackoffQueue",
    "start_error_func": "record",
    "requeue": "record",
}


def stepped(release: str, answers: Answers, scope: SchedulingCycleScope = SCOPE) -> list[str]:
    """The same of the run of the system in which one pod is created and plugins answer so."""
    machine = SchedulingCycleMachine(scope, rules_for(SchedulingCycleRules, known_release(release)))
    state, found = machine.initial_states()[0], list[str]()
    for name in ("create_pod", "deliver_pod", "pop"):
        action = next(action for action in machine.actions(state) if action.name == name)
        state = machine.step(state, action)
        while name == "deliver_pod" and (rest := [a for a in machine.actions(state) if a.name.startswith("handle")]):
            state = machine.step(state, rest[0])
    while state.cycle is not None or state.bindings:
        asks = [goroutine for goroutine in state.bindings if goroutine.steps[0] == BIND_BY_EXTENDER]
        extender = f"x{next_binder(machine.setup, asks[0])}" if asks else ""
        action = _chosen([*machine.actions(state)], answers, extender)
        made = calls_made(lambda state=state, action=action: machine.bare_step(state, action))
        found += [f"{point} {f'x{plugin}' if point == BIND_OF_EXTENDER else plugin}" for point, plugin in made]
        if action.name in CALLS:
            found.append(CALLS[action.name])
        state = machine.step(state, action)
    return found


# The arguments of an action that choose nothing of what plugins answer.
NAMES = {"pod", "node", "by", "nth", "way"}


def _chosen(offered: list[Action], answers: Answers, extender: str) -> Action:
    """The next action of the goroutine, in which plugins answer so; or what becomes of the wait.

    `extender`: the next one to be asked to bind.
    """
    own = [each for each in offered if each.name not in OF_OTHERS]
    if not own:
        end = "allow_waiting_pod" if answers[("Permit", "1")] == "allowed" else "reject_waiting_pod"
        return next(each for each in offered if each.name == end)
    wanted = _wanted(own[0].name, answers, extender)
    (chosen,) = (each for each in own if {key: value for key, value in each.args if key not in NAMES} == wanted)
    return chosen


# Whoever else acts in the scope.
OF_OTHERS = {
    *("deliver_pod", "handle_assigned", "handle_unassigned", "allow_waiting_pod", "reject_waiting_pod", "time_out"),
    *("get_pod", "add_unschedulable", "pop"),
}


def _wanted(step: str, answers: Answers, extender: str) -> dict[str, object]:
    """What the action has to choose for the plugins to answer so."""
    match step:
        case "find_nodes" if ("Filter", "1") in answers:
            return {"fails": "error"}
        case "reserve":
            plugin = next((plugin for plugin in ("1", "2") if ("Reserve", plugin) in answers), None)
            return {} if plugin is None else {"plugin": int(plugin), "fails": answers["Reserve", plugin]}
        case "permit" if ("Permit", "1") in answers:
            answer = answers["Permit", "1"]
            return {"waits": 1} if answer in ("allowed", "rejected") else {"fails": answer}
        case "pre_bind" if ("PreBind", "1") in answers:
            return {"fails": answers["PreBind", "1"]}
        case "assume_volumes" if ("Reserve", "0") in answers:
            return {"fails": "error"}
        case "bind_volumes" if ("PreBind", "0") in answers:
            return {"fails": "error"}
        case "bind_by_extender" if (BIND_OF_EXTENDER, extender) in answers:
            return {"reply": "error"}
        case "bind" if ("Bind", "1") in answers:
            return {"reply": "refused"}
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_steps_are_the_calls_of_the_cycle_that_replays_recordings(release: str) -> None:
    lengths = set()
    for answers in all_answers():
        assert stepped(release, answers) == called(release, answers), answers
        lengths.add(len(called(release, answers)))
    assert len(lengths) > 5


@pytest.mark.parametrize("release", [*RELEASES, "1.30.14"])
@pytest.mark.parametrize("ignorable", [0, 1])
@pytest.mark.parametrize("answered", [0, 1, 2])
@pytest.mark.parametrize("unmanaged", [0, 1])
def test_extenders_that_bind_are_asked_as_in_the_cycle_that_replays_recordings(
    release: str, ignorable: int, answered: int, unmanaged: int
) -> None:
    """`answered`: which of two extenders is the first to answer, 0 for none. Whoever else is asked may fail too.

    `unmanaged`: the first extender is not interested in the pod.
    """
    extenders = tuple(
        Extender(name, ignorable=bool(ignorable), binder=True, interested=name == "x2" or not unmanaged)
        for name in ("x1", "x2")
    )
    scope = evolve(SCOPE, binder_extenders=2, ignorable=ignorable, extender_errors=2, unmanaged=unmanaged)
    silent = [name for at, name in enumerate(("x1", "x2"), 1) if not answered or at < answered]
    lengths = set()
    for more in ({}, {("Bind", "1"): "error"}, {("PreBind", "1"): "error"}):
        answers = {**{(BIND_OF_EXTENDER, name): "error" for name in silent}, **more}
        assert stepped(release, answers, scope) == called(release, answers, extenders)
        lengths.add(sum(call.startswith(BIND_OF_EXTENDER) for call in called(release, answers, extenders)))
    goes_on = ignorable and known_release(release).minor >= 30
    assert lengths == {0, (answered or 2) - unmanaged if goes_on and answered != 1 else 1}


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.28.14", "1.31.13"])
def test_volumes_are_those_of_a_plugin_that_is_asked_first(release: str) -> None:
    """VolumeBinding as plugin 0. Up to 1.18 it is no plugin, and the recordings have no volumes."""
    points = {**POINTS, **{point: ("0", *POINTS[point]) for point in ("Reserve", "Unreserve", "PreBind")}}
    fails = [{("Reserve", "0"): "error"}, {("PreBind", "0"): "error"}, *all_answers()]
    for answers in fails:
        assert stepped(release, answers, evolve(SCOPE, volumes=1)) == called(release, answers, points=points), answers


@pytest.mark.parametrize("release", ["1.13.12", "1.17.10", "1.18.20", "1.19.4", "1.28.14", "1.31.13"])
def test_a_popped_pod_of_another_scheduler_is_dropped_as_in_the_component(release: str) -> None:
    machine = SchedulingCycleMachine(SCOPE, rules_for(SchedulingCycleRules, known_release(release)))
    state = machine.initial_states()[0]
    for name in ("create_pod", "deliver_pod", "pop", "schedule"):
        if name == "pop":
            (info,) = state.queue.active
            info = evolve(info, pod=evolve(info.pod, scheduler_name="other"))
            state = evolve(state, queue=evolve(state.queue, active=(info,)))
        state = machine.step(state, next(action for action in machine.actions(state) if action.name == name))
        while name == "deliver_pod" and (rest := [a for a in machine.actions(state) if a.name.startswith("handle")]):
            state = machine.step(state, rest[0])
    goes_on = state.cycle is not None
    # Up to 1.17 there are no profiles, and the component is not told whose pod it is.
    assert goes_on == (known_release(release).minor < 18)
    if not goes_on:
        assert called(release, {}, known_profile=False) == []
        assert (state.queue.active, state.queue.backoff, state.queue.unschedulable) == ((), (), ())


def test_a_step_in_another_order_is_found() -> None:
    """The comparison can fail: 1.19's order is not that of 1.17."""
    failing = {("Permit", "1"): "error"}
    assert stepped("1.19.0", failing) != called("1.17.10", failing)
    assert stepped("1.18.20", {("Reserve", "2"): "error"}) != called("1.28.14", {("Reserve", "2"): "error"})
