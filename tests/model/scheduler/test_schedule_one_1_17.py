"""A cycle of 1.17, call by call: what is not given back after a failure."""

from typing import Any

import pytest

from model.objects import Node, Pod
from model.releases import parse_release, rules_for
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.state import Cache, CacheRules
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.event_rules import EventRules
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    Call,
    ErrorFuncCall,
    PluginAnswer,
    PluginCall,
    PodRequest,
    Point,
    UpdateStatus,
    asked_again,
    driven,
)
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PreemptionNode
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.schedule_one_1_17 import Setup, schedule_one

POINTS: dict[Point, tuple[str, ...]] = {
    "PreFilter": ("PF1",),
    "Filter": ("F1",),
    "PostFilter": ("PoF1",),
    "Score": ("S1",),
    "NormalizeScore": ("S1",),
    "Reserve": ("R1", "R2"),
    "Unreserve": ("R1", "R2"),
    "Permit": ("P1",),
    "PreBind": ("PB1",),
    "Bind": ("B1",),
}
POD = Pod("p", "p#1")
RELEASE = parse_release("1.17.10")


def calls(plugin: str, point: Point, code: Code, reasons: tuple[str, ...] = ("no",)) -> list[Call]:
    """What is asked, if this plugin answers so at this point."""
    setup = Setup(rules_for(ChoiceRules, RELEASE), rules_for(PreemptionRules, RELEASE), Profile(POINTS), ())
    asked: list[Call] = []

    def answer(call: Call) -> Any:
        asked.append(call)
        match call:
            case PluginCall():
                fails = (call.plugin, call.point) == (plugin, point)
                return PluginAnswer(Status(code, reasons) if fails else Status())
            case Ask(what="snapshot"):
                return ("n1", "n2")
            case Ask(what="nodes with pods"):
                return [PreemptionNode(name, 0, 110) for name in ("n1", "n2")]
            case Ask(what="host"):
                return call.nodes[0]
            case PodRequest():
                return POD
            case Ask():
                return False
        return None

    driven(schedule_one(setup, POD, 0), answer)
    return asked


def unreserved(asked: list[Call]) -> list[str]:
    return [call.plugin for call in asked if isinstance(call, PluginCall) and call.point == "Unreserve"]


def test_a_failed_reserve_gives_nothing_back() -> None:
    # CYCLE-RESERVE-NO-UNRESERVE: the first plugin has reserved, and is not told.
    asked = calls("R2", "Reserve", Code.UNSCHEDULABLE)
    assert unreserved(asked) == []
    assert not any(isinstance(call, CacheCall) for call in asked)


@pytest.mark.parametrize(("plugin", "point"), [("P1", "Permit"), ("PB1", "PreBind"), ("B1", "Bind")])
def test_later_failures_give_back_in_the_order_in_which_was_reserved(plugin: str, point: Point) -> None:
    asked = calls(plugin, point, Code.ERROR)
    assert unreserved(asked) == ["R1", "R2"]
    assert [call.function for call in asked if isinstance(call, CacheCall)].count("ForgetPod") == 1


def test_preemption_comes_after_the_failure_was_recorded_and_only_if_no_node_fits() -> None:
    asked = calls("F1", "Filter", Code.UNSCHEDULABLE)
    recorded = next(at for at, call in enumerate(asked) if isinstance(call, UpdateStatus))
    asked_for_pod = next(at for at, call in enumerate(asked) if isinstance(call, PodRequest))
    assert recorded < asked_for_pod
    for code in (Code.ERROR, Code.UNSCHEDULABLE):
        assert not any(isinstance(call, PodRequest) for call in calls("PF1", "PreFilter", code))


def test_every_failure_reaches_the_error_function_once() -> None:
    for point, plugins in POINTS.items():
        if point in ("Unreserve", "PostBind"):
            continue
        for plugin in plugins:
            asked = calls(plugin, point, Code.ERROR)
            assert sum(isinstance(call, ErrorFuncCall) for call in asked) == 1, (plugin, point)


def test_a_function_that_asks_is_run_again_with_each_answer() -> None:
    def compute(ask: Any) -> list[str]:
        first = ask(PodRequest("preempt"))
        return [first, ask(Ask("pod"))]

    assert driven(asked_again(compute), lambda call: type(call).__name__) == ["PodRequest", "Ask"]


@pytest.mark.parametrize(("reasons", "text"), [(("b", "a"), "2 b, a."), ((), "2 .")])
def test_all_reasons_of_a_node_count_as_one(reasons: tuple[str, ...], text: str) -> None:
    asked = calls("F1", "Filter", Code.UNSCHEDULABLE, reasons)
    (failure,) = (call for call in asked if isinstance(call, ErrorFuncCall))
    assert failure.text == f"0/2 nodes are available: {text}"


def test_a_binding_to_a_node_that_is_gone_leaves_the_node_in_the_tree() -> None:
    """NODETREE-NAMEONLY-REMOVE, from the error of the binding to the tree."""
    points = {point: plugins for point, plugins in POINTS.items() if point != "Bind"}
    setup = Setup(rules_for(ChoiceRules, RELEASE), rules_for(PreemptionRules, RELEASE), Profile(points), ())
    told: list[str] = []

    def answer(call: Call) -> Any:
        match call:
            case PluginCall(plugin="DefaultBinder"):
                return PluginAnswer(Status(Code.ERROR, (f'nodes "{call.node}" not found',)), nominated=call.node)
            case PluginCall():
                return PluginAnswer()
            case Ask(what="snapshot"):
                return ("n1",)
            case ErrorFuncCall():
                told.append(call.missing_node)
        return False if isinstance(call, Ask) else None

    driven(schedule_one(setup, POD, 0), answer)
    assert told == ["n1"]
    assert rules_for(EventRules, RELEASE).error_func().repairs_nodes
    rules = rules_for(CacheRules, RELEASE)
    cache = cache_functions.add_node(rules, Cache(), Node("n1", zone="A"))[1]
    # The error function has the name only.
    cache = cache_functions.remove_node(rules, cache, Node(told[0]))[1]
    assert cache.nodes == ()
    assert cache.node_tree.names() == ("n1",)
