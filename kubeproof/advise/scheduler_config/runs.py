"""Runs of the modelled cycle for one configuration: whole cycles from 1.17 on, up to 1.16 the search for nodes.

A run is told by its calls.
"""

from collections.abc import Callable
from typing import Any, Literal

from attrs import Factory, define, evolve, field, frozen

from kubeproof.advise.scheduler_config.configuration import Configuration, ExtenderGiven
from kubeproof.advise.scheduler_config.numbers import names_of, percentage_of
from kubeproof.advise.scheduler_config.profiles import MergedProfile
from kubeproof.advise.scheduler_config.told_calls import told
from model.objects import Pod
from model.releases import Release, has_rules, rules_for
from model.scheduler import schedule_one, schedule_one_1_17, schedule_one_1_18
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.extenders import Extender, find_nodes_that_pass_extenders
from model.scheduler.filtering import FilteringRules, FilterSetup, find_nodes_that_fit_pod
from model.scheduler.framework.calls import (
    Ask,
    Call,
    Event,
    ExtenderAnswer,
    ExtenderCall,
    Panic,
    PluginAnswer,
    PluginCall,
    PodRequest,
    Point,
    Steps,
)
from model.scheduler.framework.plain_pods import PlainPodRules
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile, run_filter_plugins
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup

NODES = ("n1", "n2")
# What a call gets that is not answered in time.
TOO_LATE = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"

_POINTS: dict[str, Point] = {
    "preFilter": "PreFilter", "filter": "Filter", "postFilter": "PostFilter", "preScore": "PreScore", "score": "Score",
    "reserve": "Reserve", "unreserve": "Unreserve", "permit": "Permit", "preBind": "PreBind", "bind": "Bind",
    "postBind": "PostBind",
}  # fmt: skip
Whole = Literal["1.17", "1.18", "1.19 on", "search"]
# What a plugin or an extender says; None: nothing out of the ordinary.
Answer = Callable[[Call], Any]


def nothing_special(call: Call) -> Any:
    """Everybody succeeds."""
    return None


def how_whole(release: Release) -> Whole:
    """How much of a cycle the model has of a release."""
    if has_rules(CycleCallRules, release):
        return "1.19 on"
    match release.minor:
        case 18:
            return "1.18"
        case 17:
            return "1.17"
    return "search"


@frozen
class Scheduler:
    """A configured scheduler, as the model takes it."""

    configuration: Configuration
    profile: MergedProfile
    release: Release
    # Whether a pod that does not fit preempts.
    preempts: bool = True

    @property
    def how_whole(self) -> Whole:
        """How much of a cycle the model has of this release."""
        return how_whole(self.release)

    def extenders(self, of: ExtenderGiven | None) -> tuple[Extender, ...]:
        """In the order in which Go asks them: ignorable ones last (Go: `buildExtenders`).

        `of`: the pod asks for a resource of this extender, if it manages any; None: for those of all.
        """
        given = self.configuration.extenders
        found = [
            Extender(
                name,
                max(each.weight, 0),
                each.ignorable,
                interested=of is None or each is of or not each.resources,
                binder=bool(each.bind_verb),
            )
            for name, each in zip(names_of(given), given, strict=True)
        ]
        return tuple(sorted(found, key=lambda each: each.ignorable))

    @property
    def room_plugin(self) -> str:
        """The filter that looks at the room on a node; if there is none, the first filter; "" without any."""
        filters = self.profile.at("filter")
        known = [name for name in ("NodeResourcesFit", "PodFitsResources", "GeneralPredicates") if name in filters]
        return next(iter([*known, *filters]), "")

    @property
    def skip(self) -> dict[Point, frozenset[str]]:
        """Point -> the plugins of the tree that have nothing to do there for a plain pod, and say Skip."""
        rules = rules_for(PlainPodRules, self.release)
        return {"PreFilter": rules.skip_at_pre_filter(), "PreScore": rules.skip_at_pre_score()}

    def model_profile(self) -> Profile:
        """Every point of the cycle with its plugins."""
        points = {_POINTS[point]: names for point, names in self.profile.points.items() if point in _POINTS}
        if self.release.minor == 17:
            # The default binder stands behind the Bind plugins.
            points["Bind"] = tuple(name for name in points.get("Bind", ()) if name != "DefaultBinder")
        return Profile(points)


def cycle(scheduler: Scheduler, pod: Pod, of: ExtenderGiven | None) -> Steps[Any]:
    """The calls for a pod: a whole cycle, or the search for nodes where the release has no more."""
    extenders, profile = scheduler.extenders(of), scheduler.model_profile()
    if scheduler.how_whole == "1.19 on":
        rules = rules_for(CycleCallRules, scheduler.release)
        setup = CycleSetup(rules, profile, extenders, percentage_of(scheduler.configuration, scheduler.release.minor))
        return schedule_one.schedule_one(setup, pod, 0)
    if scheduler.how_whole != "search":
        choice, preemption = rules_for(ChoiceRules, scheduler.release), rules_for(PreemptionRules, scheduler.release)
        if scheduler.how_whole == "1.17":
            first = schedule_one_1_17.Setup(choice, preemption, profile, extenders, scheduler.preempts)
            return schedule_one_1_17.schedule_one(first, pod, 0)
        framework = rules_for(FrameworkRules, scheduler.release)
        second = schedule_one_1_18.Setup(
            choice, preemption, profile, extenders, scheduler.preempts, framework=framework
        )
        return schedule_one_1_18.schedule_one(second, pod, 0)
    search = FilterSetup(
        rules_for(FilteringRules, scheduler.release),
        percentage_of(scheduler.configuration, scheduler.release.minor),
        None,
        True,
        lambda node: run_filter_plugins(profile, node, ()),
        lambda left, statuses: find_nodes_that_pass_extenders(extenders, left, statuses),
    )
    return find_nodes_that_fit_pod(search, NODES, 0, pod.nominated_node_name, None)


@frozen
class Run:
    """What a run did."""

    # Its calls, each a line.
    lines: tuple[str, ...]
    # Whether the scheduler says that the pod is bound; None: the model has only the search for nodes.
    bound: bool | None
    # The text of the failure, "" for none.
    failure: str = ""
    # The text of the panic that ends the process, "" for none.
    panic: str = ""


@define
class Driver:
    """Answers the calls of one pod's cycle, and notes them. It may be stopped where the pod waits at Permit."""

    scheduler: Scheduler
    pod: Pod
    steps: Steps[Any]
    answer: Answer = nothing_special
    # The pod in the informer's store, as the failure handler finds it.
    stored: Pod | None = None
    # Whether it is a plain pod, for which some plugins have nothing to do. For any other pod all of them have.
    plain: bool = False
    calls: list[tuple[Call, Any]] = Factory(list)
    waiting: Ask | None = None
    ended: bool = False
    result: Any = None
    _next: Call | None = field(default=None, alias="_next")
    # How often each node was asked since preemption of 1.17 began; None: it has not begun.
    _dry_runs: dict[str, int] | None = None

    def go(self, permit: Status | None = None) -> "Driver":
        """To the end, or to Permit. `permit`: how the wait ends."""
        try:
            call = next(self.steps) if self._next is None else self.steps.send(permit)
            while True:
                self._next = call
                if isinstance(call, Ask) and call.what == "permit":
                    self.waiting = call
                    return self
                given = self._given(call)
                self.calls.append((call, given))
                call = self.steps.send(given)
        except StopIteration as end:
            self.ended, self.result = True, end.value
        return self

    def _given(self, call: Call) -> Any:
        special = self.answer(call)
        if special is not None:
            return special
        match call:
            case PluginCall(point="Filter", plugin=self.scheduler.room_plugin) if self._dry_runs is not None:
                return self._in_dry_run(call)
            case PluginCall():
                skips = self.plain and call.plugin in self.scheduler.skip.get(call.point, ())
                return PluginAnswer(Status(Code.SKIP) if skips else Status())
            case ExtenderCall():
                return ExtenderAnswer(scores=tuple((node, 0) for node in call.nodes))
            case Ask(what="snapshot"):
                return NODES
            case Ask(what="host"):
                return call.nodes[0]
            case Ask(what="pod") | PodRequest():
                return self.stored or self.pod
            case Ask(what="nodes with pods"):
                self._dry_runs = {}
                victim = PreemptionPod("victim", -1, 1)
                return tuple(PreemptionNode(node, 1, 1, (victim,) if node == "n1" else ()) for node in NODES)
            case Ask():
                return False
        return None

    def _in_dry_run(self, call: PluginCall) -> PluginAnswer:
        """On n1 the pod fits without the victim, and not with it."""
        assert self._dry_runs is not None
        done = self._dry_runs[call.node] = self._dry_runs.get(call.node, 0) + 1
        if call.node == "n1" and done == 1:
            return PluginAnswer()
        return PluginAnswer(Status(Code.UNSCHEDULABLE, ("no room",)))

    def run(self, since: int = 0) -> Run:
        """What was done so far. `since`: the call from which on the lines tell."""
        events = [call for call, _ in self.calls if isinstance(call, Event)]
        bound = None if self.scheduler.how_whole == "search" else any(each.reason == "Scheduled" for each in events)
        failure = next((each.text for each in events if each.reason == "FailedScheduling"), "")
        if bound is None and self.ended and self.result.error is not None:
            failure = self.result.error.text
        panic = next((call.text for call, _ in self.calls if isinstance(call, Panic)), "")
        return Run(tuple(told(self.calls[since:], self.scheduler.configuration)), bound, failure, panic)


def driver(
    scheduler: Scheduler,
    pod: Pod,
    answer: Answer = nothing_special,
    of: ExtenderGiven | None = None,
    *,
    stored: Pod | None = None,
    plain: bool = False,
) -> Driver:
    """A driver of the pod's cycle that has not begun."""
    return Driver(scheduler, pod, cycle(scheduler, pod, of), answer, stored, plain)


def pod_named(name: str, nominated: str = "") -> Pod:
    """A pod that waits."""
    return Pod(name, f"{name}#1", nominated_node_name=nominated)


def bound_to(pod: Pod, node: str) -> Pod:
    """The pod as the API server has it after a binding."""
    return evolve(pod, node_name=node)
