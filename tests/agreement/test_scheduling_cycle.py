"""The steps of scheduling-cycle come in the order in which `schedule_one` makes its calls, whatever fails.

`schedule_one` and `schedule_one_1_17` replay every recorded cycle. So the tables of steps are no second opinion.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from model.machine import Action
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler import schedule_one_1_17
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    Call,
    ErrorFuncCall,
    PluginAnswer,
    PluginCall,
    Point,
    QueueCall,
    driven,
)
from model.scheduler.framework.plugin_calls import calls_made
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.schedule_one import schedule_one
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope

RELEASES = ("1.17.10", "1.28.14", "1.31.13")
POINTS: dict[Point, tuple[str, ...]] = {
    "Filter": ("1",),
    "Reserve": ("1", "2"),
    "Unreserve": ("1", "2"),
    "Permit": ("1",),
    "PreBind": ("1",),
    "Bind": ("1",),
}
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


def called(release: str, answers: Answers) -> list[str]:
    """What `schedule_one` calls of plugins that take or give, of the cache and of the queue."""
    found: list[str] = []

    def answer(call: Call) -> Any:
        match call:
            case PluginCall():
                if call.point != "Filter":
                    found.append(f"{call.point} {call.plugin}")
                code = CODES.get(answers.get((call.point, call.plugin), ""), Code.SUCCESS)
                return PluginAnswer(Status(code, ("no",) if code is not Code.SUCCESS else ()), timeout=1000)
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

    driven(_cycle(release), answer)
    return found


POD = Pod("p1", "p1#1")


def _cycle(release: str) -> Any:
    at = parse_release(release)
    if at.minor > 17:
        return schedule_one(CycleSetup(rules_for(CycleCallRules, at), Profile(POINTS), ()), POD, 0)
    setup = schedule_one_1_17.Setup(
        rules_for(ChoiceRules, at), rules_for(PreemptionRules, at), Profile(POINTS), (), preempts=False
    )
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


def stepped(release: str, answers: Answers) -> list[str]:
    """The same of the run of the system in which one pod is created and plugins answer so."""
    machine = SchedulingCycleMachine(SCOPE, rules_for(SchedulingCycleRules, parse_release(release)))
    state, found = machine.initial_states()[0], list[str]()
    for name in ("create_pod", "deliver_pod", "pop"):
        action = next(action for action in machine.actions(state) if action.name == name)
        state = machine.step(state, action)
        while name == "deliver_pod" and (rest := [a for a in machine.actions(state) if a.name.startswith("handle")]):
            state = machine.step(state, rest[0])
    while state.cycle is not None or state.bindings:
        action = _chosen([*machine.actions(state)], answers)
        made = calls_made(lambda state=state, action=action: machine.bare_step(state, action))
        found += [f"{point} {plugin}" for point, plugin in made]
        if action.name in CALLS:
            found.append(CALLS[action.name])
        state = machine.step(state, action)
    return found


# The arguments of an action that choose nothing of what plugins answer.
NAMES = {"pod", "node", "by", "nth", "way"}


def _chosen(offered: list[Action], answers: Answers) -> Action:
    """The next action of the goroutine, in which plugins answer so; or what becomes of the wait."""
    own = [each for each in offered if each.name not in OF_OTHERS]
    if not own:
        end = "allow_waiting_pod" if answers[("Permit", "1")] == "allowed" else "reject_waiting_pod"
        return next(each for each in offered if each.name == end)
    wanted = _wanted(own[0].name, answers)
    (chosen,) = (each for each in own if {key: value for key, value in each.args if key not in NAMES} == wanted)
    return chosen


# Whoever else acts in the scope.
OF_OTHERS = {
    *("deliver_pod", "handle_assigned", "handle_unassigned", "allow_waiting_pod", "reject_waiting_pod", "time_out"),
    *("get_pod", "add_unschedulable", "pop"),
}


def _wanted(step: str, answers: Answers) -> dict[str, object]:
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
        case "bind" if ("Bind", "1") in answers:
            return {"reply": "refused"}
    return {}


@pytest.mark.parametrize("release", RELEASES)
def test_the_steps_are_the_calls_of_the_cycle_that_replays_recordings(release: str) -> None:
    lengths = set()
    for answers in all_answers():
        assert stepped(release, answers) == called(release, answers), answers
        lengths.add(len(called(release, answers)))
    assert len(lengths) > 5


def test_a_step_in_another_order_is_found() -> None:
    """The comparison can fail: 1.19's order is not that of 1.17."""
    failing = {("Permit", "1"): "error"}
    assert stepped("1.19.0", failing) != called("1.17.10", failing)
    assert stepped("1.18.20", {("Reserve", "2"): "error"}) != called("1.28.14", {("Reserve", "2"): "error"})
