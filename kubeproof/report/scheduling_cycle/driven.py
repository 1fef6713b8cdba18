"""One pod's cycle, call by call, with one thing that fails: of the releases whose whole cycles are modelled."""

from functools import cache
from typing import Any

from attrs import evolve, frozen

from kubeproof.report.scheduling_cycle.section import patches, rules
from model.objects import Pod
from model.releases import MINORS, Release
from model.scheduler import schedule_one, schedule_one_1_17, schedule_one_1_18
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.extenders import Extender, Extenders
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
    Point,
    QueueCall,
    Steps,
    driven,
)
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.scheduling_cycle import CycleCallRules, CycleResult, CycleSetup

# Whole cycles are modelled of these: the recordings of whole cycles of the real code end at the last one. From 1.32 on
# Done comes at another place, and no recording says what comes before and after.
OLD, MIDDLE, NEW = patches((17,)), patches((18,)), patches(tuple(range(19, MINORS[-1] + 1)))
GROUPS = (("1.17", OLD), ("1.18", MIDDLE), (f"1.19 to 1.{MINORS[-1]}", NEW))
POD = Pod("p", "p#1")
NODES = ("n1", "n2")
# Two plugins where a failure may find something to give back, or keeps the second from being asked.
POINTS: dict[Point, tuple[str, ...]] = {
    "PreFilter": ("P",), "Filter": ("P", "Q"), "PostFilter": ("P",), "PreScore": ("P",), "Score": ("P",),
    "NormalizeScore": ("P",), "Reserve": ("R1", "R2"), "Unreserve": ("R1", "R2"), "Permit": ("P",), "PreBind": ("P",),
    "Bind": ("P",), "PostBind": ("P",),
}  # fmt: skip
EXTENDER = "extender"


@frozen
class Failing:
    """What fails in a cycle."""

    # A point of plugins; a verb of the extender, such as "extender Bind"; "AssumePod"; "wait": a pod that waits for
    # Permit is rejected; "" for nothing.
    what: str = ""
    # The code of the answer, of a plugin and of a wait.
    code: Code = Code.ERROR
    # The plugin that fails.
    plugin: str = "P"


NOTHING = Failing()


@frozen
class Run:
    """A cycle that was driven to its end."""

    calls: tuple[Call, ...]
    # The call that failed, as an index of `calls`.
    failed_at: int | None


@frozen
class Pods:
    """What is special about the pod, or about others."""

    # Whether an extender has the verb Bind.
    binder: bool = False
    # Whether other pods are nominated to each node.
    nominated: bool = False
    # Whether the cache has assumed the pod.
    assumed: bool = False
    # Whether the pod is being deleted.
    terminating: bool = False


def run(release: Release, failing: Failing = NOTHING, given: Pods = Pods()) -> Run:
    """The calls of a cycle in which one thing fails. An extender binds if it is to fail at that."""
    return _run(_alike(release), failing, given)


_FIRST: dict[object, Release] = {}


def _alike(release: Release) -> Release:
    """The first release that was asked for and whose cycles have the same rules."""
    if release in NEW:
        return _FIRST.setdefault(("new", *vars(rules(CycleCallRules, release)).values()), release)
    framework = vars(rules(FrameworkRules, release)).values() if release in MIDDLE else ()
    return _FIRST.setdefault(("old", *vars(rules(ChoiceRules, release)).values(), *framework), release)


@cache
def _run(release: Release, failing: Failing, given: Pods) -> Run:
    calls: list[Call] = []
    failed_at: list[int] = []

    def answer(call: Call) -> Any:
        calls.append(call)
        if _is_it(call, failing):
            failed_at.append(len(calls) - 1)
            return _failure(call, failing)
        if isinstance(call, Ask) and call.what in ("nominated", "assumed"):
            return given.nominated if call.what == "nominated" else given.assumed
        return _success(call, waits=failing.what == "wait")

    without: frozenset[Point] = frozenset({"Bind"}) if failing.what == "extender Bind" else frozenset()
    pod = evolve(POD, terminating=given.terminating)
    driven(_cycle(release, pod, given.binder or bool(without), without), answer)
    return Run(tuple(calls), failed_at[0] if failed_at else None)


def _cycle(release: Release, pod: Pod, binds: bool, without: frozenset[Point]) -> Steps[int]:
    """`without`: the points at which the profile has no plugin. In 1.17 extenders bind where there is none at Bind."""
    extenders = (Extender(EXTENDER, binder=binds),)
    if release in OLD:
        return schedule_one_1_17.schedule_one(_old_setup(release, extenders, without), pod, 0)
    if release in MIDDLE:
        return schedule_one_1_18.schedule_one(_middle_setup(release, extenders, without), pod, 0)
    return schedule_one.schedule_one(_new_setup(release, extenders, without), pod, 0)


def _profile(without: frozenset[Point]) -> Profile:
    return Profile({point: names for point, names in POINTS.items() if point not in without})


def _old_setup(release: Release, extenders: Extenders, without: frozenset[Point]) -> schedule_one_1_17.Setup:
    """In 1.17 PreScore is not there, PostFilter only hears of nodes, and preemption is none of the plugins."""
    profile = _profile(without | {"PreScore"})
    return schedule_one_1_17.Setup(
        rules(ChoiceRules, release), rules(PreemptionRules, release), profile, extenders, False
    )


def _middle_setup(release: Release, extenders: Extenders, without: frozenset[Point]) -> schedule_one_1_18.Setup:
    return schedule_one_1_18.Setup(
        rules(ChoiceRules, release), rules(PreemptionRules, release), _profile(without | {"PostFilter"}), extenders,
        False, framework=rules(FrameworkRules, release),
    )  # fmt: skip


def _new_setup(release: Release, extenders: Extenders, without: frozenset[Point]) -> CycleSetup:
    return CycleSetup(rules(CycleCallRules, release), _profile(without), extenders)


# A cycle in which nothing fails, and the pod waits for Permit and is allowed.
ALLOWED = Failing("wait", Code.SUCCESS)


def phases(release: Release) -> tuple[list[str], list[str]]:
    """The calls of a pod that is bound after a wait, in words: of the scheduling cycle, and of the binding cycle."""
    calls: list[Call] = []

    def answer(call: Call) -> Any:
        calls.append(call)
        return _success(call, waits=True)

    if release in OLD:
        assumed = evolve(POD, node_name=NODES[0])
        driven(schedule_one_1_17.binding_cycle(_old_setup(release, (), frozenset()), POD, assumed), answer)
    elif release in MIDDLE:
        assumed = evolve(POD, node_name=NODES[0])
        setup = _middle_setup(release, (), frozenset())
        driven(schedule_one_1_18.binding_cycle(setup, POD, assumed, (("P", 1_000),)), answer)
    else:
        result = CycleResult(NODES[0], waiting=(("P", 1_000),))
        driven(schedule_one.binding_cycle(_new_setup(release, (), frozenset()), POD, result), answer)
    binding = next(filter(None, map(said, calls)))
    whole = list(dict.fromkeys(filter(None, map(said, run(release, ALLOWED).calls))))
    begins = whole.index(binding)
    return whole[:begins], whole[begins:]


def _is_it(call: Call, failing: Failing) -> bool:
    match call:
        case PluginCall():
            return (call.point, call.plugin) == (failing.what, failing.plugin)
        case ExtenderCall():
            return failing.what == f"extender {call.verb}"
        case CacheCall():
            return call.function == failing.what
        case Ask(what="permit"):
            return failing.what == "wait"
    return False


def _failure(call: Call, failing: Failing) -> Any:
    status = Status(failing.code, ("no",), failing.plugin)
    match call:
        case PluginCall():
            return PluginAnswer(status)
        case ExtenderCall():
            return ExtenderAnswer("no answer")
        case CacheCall():
            return "no"
    return status


def _success(call: Call, *, waits: bool) -> Any:
    match call:
        case PluginCall(point="Permit") if waits:
            return PluginAnswer(Status(Code.WAIT), timeout=1_000)
        case PluginCall():
            return PluginAnswer()
        case ExtenderCall():
            return ExtenderAnswer()
        case Ask(what="snapshot"):
            return NODES
        case Ask(what="host"):
            return call.nodes[0]
        case Ask(what="pod") | PodRequest():
            return POD
        case Ask(what="permit"):
            return SUCCESS
        case Ask():
            return False
    return None


def said(call: Call) -> str:
    """A call in words; "" for what only reads."""
    match call:
        case PluginCall(point="Unreserve"):
            return f"Unreserve {call.plugin}"
        case PluginCall():
            return call.point
        case ExtenderCall():
            return f"extender {call.verb}"
        case CacheCall() | QueueCall():
            return str(call.function)
        case ErrorFuncCall():
            return "the error function, in its own goroutine"
        case Event():
            return f"event {call.reason}"
        case Ask(what="permit"):
            return "wait for Permit"
        case Ask():
            return ""
    return "the pod's status"


def left(done: Run) -> tuple[str, ...]:
    """What nobody has given back when the cycle has ended, although the pod is not bound."""
    if any(isinstance(call, Event) and call.reason == "Scheduled" for call in done.calls):
        return ()
    held: dict[str, None] = {}
    for number, call in enumerate(done.calls):
        match call:
            case PluginCall(point="Reserve") if number != done.failed_at:
                held[f"what {call.plugin} reserved"] = None
            case PluginCall(point="Unreserve"):
                held.pop(f"what {call.plugin} reserved", None)
            case CacheCall(function="AssumePod") if number != done.failed_at:
                held["the assumed pod"] = None
            case CacheCall(function="ForgetPod"):
                held.pop("the assumed pod", None)
    return tuple(held)
