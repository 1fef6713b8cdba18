"""A cycle of 1.18 call by call: what is other than in 1.17, as the Go source says."""

from typing import Any

import pytest

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.extenders import Extender
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    Call,
    ErrorFuncCall,
    Event,
    ExtenderAnswer,
    ExtenderCall,
    PluginAnswer,
    PluginCall,
    PodRequest,
    UpdateStatus,
    driven,
)
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.schedule_one_1_18 import Setup, schedule_one
from tests.model.scheduler.test_schedule_one_1_17 import POINTS

POD = Pod("p", "p#1")


def calls(
    *failing: tuple[str, str, Code],
    release: str = "1.18.20",
    nodes: tuple[str, ...] = ("n1", "n2"),
    extenders: tuple[Extender, ...] = (),
    permit: Code = Code.SUCCESS,
) -> list[Call]:
    at = parse_release(release)
    points = {**POINTS, "PreScore": ("PS1",)}
    setup = Setup(
        rules_for(ChoiceRules, at), rules_for(PreemptionRules, at), Profile(points), extenders,  # type: ignore[arg-type]
        framework=rules_for(FrameworkRules, at),
    )  # fmt: skip
    codes = {(plugin, point): code for plugin, point, code in failing}
    asked: list[Call] = []

    def answer(call: Call) -> Any:
        asked.append(call)
        match call:
            case PluginCall():
                code = codes.get((call.plugin, call.point), Code.SUCCESS)
                return PluginAnswer(Status(code, ("no",) if code is not Code.SUCCESS else ()), timeout=1)
            case ExtenderCall():
                return ExtenderAnswer()
            case Ask(what="snapshot"):
                return nodes
            case Ask(what="host"):
                return call.nodes[0]
            case Ask(what="permit"):
                return Status(permit, ("no",) if permit is not Code.SUCCESS else (), "P1")
            case Ask(what="nodes with pods"):
                return ()
        return False if isinstance(call, Ask) else None

    driven(schedule_one(setup, POD, 0), answer)
    return asked


def test_preemption_comes_before_the_failure_is_recorded() -> None:
    asked = calls(("F1", "Filter", Code.UNSCHEDULABLE))
    at = {type(call): place for place, call in enumerate(asked)}
    assert at[PodRequest] < at[ErrorFuncCall] < at[Event] < at[UpdateStatus]


def test_pre_score_is_asked_for_a_single_node_too() -> None:
    asked = [call.point for call in calls(nodes=("n1",)) if isinstance(call, PluginCall)]
    assert "PreScore" in asked
    assert "Score" not in asked


def test_an_extender_binds_before_any_plugin() -> None:
    asked = calls(extenders=(Extender("e", binder=True),))
    assert any(isinstance(call, ExtenderCall) and call.verb == "Bind" for call in asked)
    assert not any(isinstance(call, PluginCall) and call.point == "Bind" for call in asked)


@pytest.mark.parametrize(
    ("failing", "text", "reason"),
    [
        (("R1", "Reserve", Code.ERROR), 'error while running "R1" reserve plugin for pod "p": no', "SchedulerError"),
        (("P1", "Permit", Code.UNSCHEDULABLE), 'rejected pod "p" by permit plugin "P1": no', "Unschedulable"),
        (("P1", "Permit", Code.WAIT), 'pod "p" rejected while waiting on permit: no', "Unschedulable"),
        (("PB1", "PreBind", Code.UNSCHEDULABLE), 'error while running "PB1" prebind plugin for pod "p": no',
         "SchedulerError"),
        (("B1", "Bind", Code.ERROR), 'plugin "B1" failed to bind pod "ns/p": no', "SchedulerError"),
        (("PS1", "PreScore", Code.ERROR), 'error while running "PS1" prescore plugin for pod "p": no', "Unschedulable"),
    ],
)  # fmt: skip
def test_the_text_and_the_reason_of_a_failure(failing: tuple[str, str, Code], text: str, reason: str) -> None:
    asked = calls(failing, permit=Code.UNSCHEDULABLE)
    (written,) = (call for call in asked if isinstance(call, UpdateStatus))
    assert (written.message, written.reason) == (text, reason)


def test_what_fails_after_assume_is_forgotten_and_then_given_back() -> None:
    for failing in (("P1", "Permit", Code.ERROR), ("PB1", "PreBind", Code.ERROR), ("B1", "Bind", Code.ERROR)):
        asked = calls(failing)
        forgotten = next(
            at for at, call in enumerate(asked) if isinstance(call, CacheCall) and "Forget" in call.function
        )
        given_back = [at for at, call in enumerate(asked) if isinstance(call, PluginCall) and call.point == "Unreserve"]
        recorded = next(at for at, call in enumerate(asked) if isinstance(call, ErrorFuncCall))
        assert forgotten < min(given_back) < max(given_back) < recorded


@pytest.mark.parametrize(("release", "length"), [("1.18.15", 2000), ("1.18.16", 1024)])
def test_an_event_is_cut_off_from_1_18_16_on(release: str, length: int) -> None:
    assert len(rules_for(FrameworkRules, parse_release(release)).event_text("x" * 2000)) == length
