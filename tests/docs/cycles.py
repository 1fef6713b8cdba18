"""One pod's cycle, call by call, with one thing that fails: of the releases whose whole cycles are modelled."""

from itertools import groupby
from typing import Any

from attrs import evolve, frozen

from model.objects import Pod
from model.releases import Release
from model.scheduler import schedule_one, schedule_one_1_17, schedule_one_1_18
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.extenders import Extender
from model.scheduler.framework import calls as c
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup
from tests.docs.page import alike, patches, rules

OLD, MIDDLE, NEW = patches(17), patches(18), patches(*range(19, 32))
POD, NODES, WAIT = Pod("p", "p#1"), ("n1", "n2"), "wait for Permit"
ONE_PLUGIN = ("PreFilter", "PostFilter", "PreScore", "Score", "NormalizeScore", "Permit", "PreBind", "Bind", "PostBind")
# Two plugins where a failure may find something to give back, or keeps the second from being asked.
POINTS = {
    **dict.fromkeys(ONE_PLUGIN, ("P",)),
    "Filter": ("P", "Q"),
    **dict.fromkeys(("Reserve", "Unreserve"), ("R1", "R2")),
}


@frozen
class Run:
    """A cycle that was driven to its end."""

    calls: tuple[c.Call, ...]
    # The call that failed, as an index of `calls`.
    failed_at: int | None

    def points(self) -> list[str]:
        """The points at which plugins were asked."""
        return [call.point for call in self.calls if isinstance(call, c.PluginCall)]

    def said(self) -> list[str]:
        """The calls in words."""
        return [words for words in map(said, self.calls) if words]

    def aftermath(self) -> list[str]:
        """What follows the failure, in words. The other node is asked as well; that is no answer to the failure."""
        words = map(said, self.calls[self.failed_at + 1 :])  # type: ignore[operator]
        return [each for each, _ in groupby(each for each in words if each not in ("", "Filter", "Score"))]

    def left(self) -> list[str]:
        """What nobody has given back when the cycle has ended without a binding."""
        held: dict[str, None] = {}
        for number, call in enumerate(self.calls):
            name = getattr(call, "point", getattr(call, "function", ""))
            what = (
                "the assumed pod" if isinstance(call, c.CacheCall) else f"what {getattr(call, 'plugin', '')} reserved"
            )
            if name in ("Reserve", "AssumePod") and number != self.failed_at:
                held[what] = None
            elif name in ("Unreserve", "ForgetPod"):
                held.pop(what, None)
        return [] if "event Scheduled" in self.said() else list(held)


_DRIVEN: dict[object, Run] = {}


def run(release: Release, fails: str = "", code: Code = Code.ERROR, plugin: str = "P", **given: bool) -> Run:
    """The calls of a cycle. Releases with the same rules are driven once.

    `fails`: what fails, in the words of `said`; `plugin`: the plugin that does. In `given` may be `waits` (Permit says
    so), `binder` (an extender binds), `nominated` (others, to each node), `assumed` and `terminating` (the pod).
    """
    classes = (CycleCallRules,) if release in NEW else (ChoiceRules, PreemptionRules, FrameworkRules)
    key = (release in OLD, alike(*classes)(release), fails, code, plugin, *given.items())
    if key not in _DRIVEN:
        made: list[c.Call] = []
        failed_at: list[int] = []

        def answer(call: c.Call) -> Any:
            made.append(call)
            if not fails or said(call) != fails or getattr(call, "plugin", plugin) != plugin:
                return _success(call, given | {"waits": "waits" in given or fails == WAIT})
            failed_at.append(len(made) - 1)
            status = Status(code, ("no",), plugin)
            others = {c.PluginCall: c.PluginAnswer(status), c.ExtenderCall: c.ExtenderAnswer("no"), c.CacheCall: "no"}
            return others.get(type(call), status)

        c.driven(_cycle(release, fails == "extender Bind", given), answer)
        _DRIVEN[key] = Run(tuple(made), failed_at[0] if failed_at else None)
    return _DRIVEN[key]


def _success(call: c.Call, given: dict[str, bool]) -> Any:
    if isinstance(call, c.PluginCall) and call.point == "Permit" and given["waits"]:
        return c.PluginAnswer(Status(Code.WAIT), timeout=1_000)
    if isinstance(call, c.Ask):
        known = {"snapshot": NODES, "pod": POD, "permit": SUCCESS, "host": NODES[0]}
        return known.get(call.what, given.get(call.what, False))
    return {c.PluginCall: c.PluginAnswer(), c.ExtenderCall: c.ExtenderAnswer(), c.PodRequest: POD}.get(type(call))


def _cycle(release: Release, binds: bool, given: dict[str, bool]) -> c.Steps[int]:
    pod = evolve(POD, terminating="terminating" in given)
    # In 1.17 an extender binds where there is no plugin at Bind. PreScore is not there, and PostFilter only hears of
    # nodes; in 1.18 neither is preemption a plugin.
    without = {"PreScore" if release in OLD else "PostFilter" if release in MIDDLE else "", "Bind" if binds else ""}
    profile = Profile({point: names for point, names in POINTS.items() if point not in without})  # type: ignore[misc]
    extenders = (Extender("extender", binder="binder" in given or binds),)
    if release in NEW:
        return schedule_one.schedule_one(CycleSetup(rules(CycleCallRules, release), profile, extenders), pod, 0)
    common = (rules(ChoiceRules, release), rules(PreemptionRules, release), profile, extenders, False)
    if release in OLD:
        return schedule_one_1_17.schedule_one(schedule_one_1_17.Setup(*common), pod, 0)
    setup = schedule_one_1_18.Setup(*common, framework=rules(FrameworkRules, release))
    return schedule_one_1_18.schedule_one(setup, pod, 0)


def said(call: c.Call) -> str:
    """A call in words; "" for what only reads."""
    match call:
        case c.PluginCall():
            return f"Unreserve {call.plugin}" if call.point == "Unreserve" else call.point
        case c.ExtenderCall():
            return f"extender {call.verb}"
        case c.CacheCall() | c.QueueCall():
            return str(call.function)
        case c.ErrorFuncCall():
            return "the error function, in its own goroutine"
        case c.Event():
            return f"event {call.reason}"
        case c.Ask():
            return WAIT if call.what == "permit" else ""
    return "the pod's status"
