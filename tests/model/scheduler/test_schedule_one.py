"""A cycle call by call: what is undone after each failure, whoever fails and however."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    Call,
    Event,
    PluginAnswer,
    PluginCall,
    Point,
    QueueCall,
    driven,
)
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.schedule_one import schedule_one
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup

POINTS: dict[Point, tuple[str, ...]] = {
    "PreFilter": ("PF1", "PF2"),
    "Filter": ("F1", "F2"),
    "PostFilter": ("PoF1",),
    "PreScore": ("PS1",),
    "Score": ("S1",),
    "NormalizeScore": ("S1",),
    "Reserve": ("R1", "R2"),
    "Permit": ("P1", "P2"),
    "PreBind": ("PB1", "PB2"),
    "Bind": ("B1", "B2"),
    "PostBind": ("PoB1",),
}
POD = Pod("p", "p#1")
RELEASES = ("1.28.14", "1.31.13")
Failing = tuple[str, Point, Code]


def calls(release: str, *failing: Failing, permit: Code = Code.SUCCESS, pod: Pod = POD) -> list[Call]:
    """What is asked, if these plugins answer so at these points. Whoever waits in Permit is answered with `permit`."""
    setup = CycleSetup(rules_for(CycleCallRules, parse_release(release)), Profile(POINTS), ())
    codes = {(plugin, point): code for plugin, point, code in failing}
    asked: list[Call] = []

    def answer(call: Call) -> Any:
        asked.append(call)
        match call:
            case PluginCall():
                code = codes.get((call.plugin, call.point), Code.SUCCESS)
                return PluginAnswer(Status(code, ("no",) if code is not Code.SUCCESS else ()))
            case Ask(what="snapshot"):
                return ("n1", "n2")
            case Ask(what="host"):
                return call.nodes[0]
            case Ask(what="pod"):
                return pod
            case Ask(what="permit"):
                return Status(permit, ("no",) if permit is not Code.SUCCESS else (), "P1")
            case Ask():
                return False
        return None

    driven(schedule_one(setup, pod, 0), answer)
    return asked


def failures() -> Iterator[Failing]:
    for point, plugins in POINTS.items():
        for plugin, code in product(plugins, (Code.ERROR, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)):
            yield plugin, point, code


def check_what_an_end_leaves(asked: list[Call], tells_done: bool = True) -> None:
    """The rules of an ended cycle, whatever happened in it."""
    plugins = [call for call in asked if isinstance(call, PluginCall)]
    cache = [call.function for call in asked if isinstance(call, CacheCall)]
    queue = [call.function for call in asked if isinstance(call, QueueCall)]
    bound = any(isinstance(call, Event) and call.reason == "Scheduled" for call in asked)
    unreserved = [call.plugin for call in plugins if call.point == "Unreserve"]
    assumed = "AssumePod" in cache
    # All that was reserved and not bound is given back once, in reverse; nothing else is given back.
    assert unreserved == (["R2", "R1"] if assumed and not bound else [])
    assert cache.count("ForgetPod") == (assumed and not bound)
    # The pod is done, or the queue has the pod again; not both.
    assert queue.count("Done") == (tells_done and bound)
    assert queue.count("AddUnschedulableIfNotPresent") == (not bound)
    # Points come in their order, and PostBind only after the pod is bound.
    order = [list(POINTS).index(call.point) for call in plugins if call.point in POINTS]
    assert order == sorted(order)
    assert any(call.point == "PostBind" for call in plugins) == bound


@pytest.mark.parametrize("release", RELEASES)
def test_every_failure_gives_back_what_was_taken(release: str) -> None:
    for failing in failures():
        check_what_an_end_leaves(calls(release, failing))
        check_what_an_end_leaves(calls(release, ("P1", "Permit", Code.WAIT), failing))
    for permit in (Code.SUCCESS, Code.UNSCHEDULABLE):
        check_what_an_end_leaves(calls(release, ("P1", "Permit", Code.WAIT), permit=permit))


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_two_failures_are_no_worse_than_one(release: str) -> None:
    some = [failing for failing in failures() if failing[2] is not Code.UNSCHEDULABLE_AND_UNRESOLVABLE]
    for one, other in product(some, some):
        check_what_an_end_leaves(calls(release, one, other))


def test_only_the_pod_that_did_not_fit_starts_preemption() -> None:
    def preempts(*failing: Failing) -> bool:
        asked = calls("1.31.13", *failing)
        return any(isinstance(call, PluginCall) and call.point == "PostFilter" for call in asked)

    assert preempts(("F1", "Filter", Code.UNSCHEDULABLE))
    assert preempts(("PF1", "PreFilter", Code.UNSCHEDULABLE))
    for plugin, point in (("F1", "Filter"), ("PF1", "PreFilter")):
        assert not preempts((plugin, point, Code.ERROR))  # type: ignore[arg-type]
    assert not preempts(("R1", "Reserve", Code.UNSCHEDULABLE))


def test_a_pod_that_is_deleted_is_skipped_and_never_done() -> None:
    asked = calls("1.31.13", pod=Pod("p", "p#1", terminating=True))
    assert asked == [Event("Warning", "FailedScheduling", "Scheduling", "skip schedule deleting pod: ns/p")]


def test_the_room_of_a_rejected_pod_is_told_to_others_after_the_pod_is_back() -> None:
    asked = calls("1.31.13", ("PB1", "PreBind", Code.UNSCHEDULABLE))
    queue = [call.function for call in asked if isinstance(call, QueueCall)]
    assert queue[-1] == "MoveAllToActiveOrBackoffQueue"
    asked = calls("1.31.13", ("PB1", "PreBind", Code.ERROR))
    queue = [call.function for call in asked if isinstance(call, QueueCall)]
    move, back = queue.index("MoveAllToActiveOrBackoffQueue"), queue.index("AddUnschedulableIfNotPresent")
    assert move < back


@pytest.mark.parametrize(("release", "told"), [("1.28.0", ()), ("1.28.3", ("n1", "n2")), ("1.31.13", ("n1", "n2"))])
def test_post_filter_hears_what_pre_filter_said_of_the_nodes(release: str, told: tuple[str, ...]) -> None:
    asked = calls(release, ("PF1", "PreFilter", Code.UNSCHEDULABLE))
    (post_filter,) = (call for call in asked if isinstance(call, PluginCall) and call.point == "PostFilter")
    assert tuple(node for node, _ in post_filter.statuses) == told


def put_back(asked: list[Call]) -> QueueCall:
    (call,) = (call for call in asked if isinstance(call, QueueCall) and call.function.startswith("AddUnsch"))
    return call


@pytest.mark.parametrize(
    ("release", "waiting", "pre_bind"),
    [("1.28.14", None, None), ("1.29.0", {"P1"}, None), ("1.30.14", {"P1"}, None), ("1.31.0", {"P1"}, {"PB1"})],
)
def test_a_rejection_while_binding_is_filed_under_its_plugin(
    release: str, waiting: set[str] | None, pre_bind: set[str] | None
) -> None:
    at_permit = calls(release, ("P1", "Permit", Code.WAIT), permit=Code.UNSCHEDULABLE)
    assert put_back(at_permit).unschedulable_plugins == waiting
    assert put_back(calls(release, ("PB1", "PreBind", Code.UNSCHEDULABLE))).unschedulable_plugins == pre_bind


@pytest.mark.parametrize(("release", "text"), [("1.29.14", "0/2 nodes"), ("1.30.0", "running PreFilter plugin")])
def test_a_plugin_that_is_pending_at_pre_filter_is_an_error_from_1_30_on(release: str, text: str) -> None:
    asked = calls(release, ("PF1", "PreFilter", Code.PENDING))
    (event,) = (call for call in asked if isinstance(call, Event))
    assert event.text.startswith(text)
