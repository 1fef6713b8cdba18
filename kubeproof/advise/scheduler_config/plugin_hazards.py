"""What the plugins of a profile may do: not preempt, miss what another point prepares, hold room at Permit.

Go: `RunPostFilterPlugins`, `RunPermitPlugins`, `RunBindPlugins` in pkg/scheduler/framework/runtime/framework.go, and
the functions `getPreFilterState` and `getPreScoreState` of the plugins.
"""

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from kubeproof.advise.scheduler_config.hazard import Hazard, hazard, no_room
from kubeproof.advise.scheduler_config.numbers import MAX_PERMIT, permit_timeout, waits_at_permit
from kubeproof.advise.scheduler_config.plugins import PASSES, Passes, acts_at
from kubeproof.advise.scheduler_config.runs import NODES, Answer, Driver, Scheduler, bound_to, driver, pod_named
from model.scheduler.framework.calls import Call, PluginAnswer, PluginCall
from model.scheduler.framework.status import Code, Status

_POINTS = {"filter": "Filter", "score": "Score", "reserve": "Reserve"}


def plugin_hazards(scheduler: Scheduler) -> Iterator[Hazard]:
    """The hazards of a profile."""
    yield from _other_arguments(scheduler)
    yield from _no_preemption(scheduler)
    yield from _disabled_partners(scheduler)
    yield from _groups(scheduler)
    yield from _lost_reply(scheduler)


def _alone(scheduler: Scheduler) -> Scheduler:
    """The scheduler for a pod that no extender is interested in."""
    return evolve(scheduler, configuration=evolve(scheduler.configuration, extenders=()))


def _other_arguments(scheduler: Scheduler) -> Iterator[Hazard]:
    """#82483: a plugin gets the arguments of another one."""
    profile = scheduler.profile
    given = next((each.args for each in scheduler.configuration.profiles if each.name == profile.name), ())
    for name, args in given:
        if profile.args[name] != args and given.count((name, args)) == 1:
            last = given[-1][0]
            what = (
                f"{name} gets the arguments of {last}: in {scheduler.release} each plugin gets what stands last in "
                "pluginConfig (#82483)."
            )
            mend = "Give arguments to one plugin only, or upgrade to 1.17 or later."
            yield hazard(scheduler, "other-arguments", name, what, mend)


def _no_preemption(scheduler: Scheduler) -> Iterator[Hazard]:
    if scheduler.preempts:
        return
    minor, post_filter = scheduler.release.minor, scheduler.profile.at("postFilter")
    if minor >= 19 and any("postFilter" not in acts_at(name, minor) for name in post_filter):
        # A plugin that is not in the tree stands there, and may preempt in its place.
        return
    how = "disablePreemption is true" if minor < 19 else "DefaultPreemption is not at postFilter"
    what = f"{how}: a pod of high priority that does not fit evicts nobody, and waits until somebody leaves."
    where = "leave disablePreemption out" if minor < 19 else "enable DefaultPreemption at postFilter"
    run: tuple[str, ...] = ()
    if scheduler.how_whole != "search" and scheduler.room_plugin:

        def nobody(call: Call) -> Any:
            asked = isinstance(call, PluginCall) and call.point == "PostFilter" and minor >= 19
            return PluginAnswer(Status(Code.UNSCHEDULABLE)) if asked else None

        answer = no_room(scheduler.room_plugin, nobody)
        run = driver(_alone(scheduler), pod_named("p"), answer).go().run().lines
    mend = f"If priorities are to count, {where}."
    yield hazard(scheduler, "no-preemption", scheduler.profile.name, what, mend, run)


def _disabled_partners(scheduler: Scheduler) -> Iterator[Hazard]:
    """A plugin acts at a point, and not at the other one that prepares what it reads there."""
    minor, profile = scheduler.release.minor, scheduler.profile
    for passes in PASSES:
        acts = acts_at(passes.plugin, minor)
        if minor < passes.since or passes.writes not in acts or passes.reads not in acts:
            continue
        if passes.plugin not in profile.at(passes.reads) or passes.plugin in profile.at(passes.writes):
            continue
        what = (
            f"{passes.plugin} reads at {passes.reads} what it writes at {passes.writes}, where it is not enabled: it "
            "answers with an error. After an error the pod is not placed, and nobody preempts."
        )
        mend = f"Disable {passes.plugin} at {passes.reads} too, or enable it at {passes.writes}."
        yield hazard(scheduler, "disabled-partner", passes.plugin, what, mend, _without_partner(scheduler, passes))


def _without_partner(scheduler: Scheduler, passes: Passes) -> tuple[str, ...]:
    point = _POINTS[passes.reads]
    if scheduler.how_whole in ("1.17", "search") and point != "Filter":
        return ()
    text = passes.error if scheduler.release.minor >= 27 else "its state is not found"

    def missing(call: Call) -> Any:
        mine = isinstance(call, PluginCall) and call.plugin == passes.plugin and call.point == point
        return PluginAnswer(Status(Code.ERROR, (text,))) if mine else None

    return driver(_alone(scheduler), pod_named("p"), missing).go().run().lines


# --- Permit -----------------------------------------------------------------------------------------------------------


def _groups(scheduler: Scheduler) -> Iterator[Hazard]:
    """Pods of two groups hold room while each waits for the rest of its group."""
    for plugin in waits_at_permit(scheduler.profile, scheduler.release.minor):
        seconds = permit_timeout(scheduler.profile, plugin)
        span = f"{MAX_PERMIT / 60:g} min at most, whatever the plugin says"
        if seconds is not None:
            span = f"{seconds:g} s (permitWaitingTimeSeconds)"
        what = (
            f"{plugin} is not in the tree, and may have pods wait at Permit with the room that they assumed. If "
            "it waits for the rest of a group, two groups that each hold half of what the other one needs wait for "
            f"each other, and nobody else gets the room. Only the timeout ends that: {span}."
        )
        mend = "Set the shortest timeout in which a group gets complete, and let one large group start at a time."
        run = _two_groups(scheduler, plugin, seconds or MAX_PERMIT)
        yield hazard(scheduler, "groups-block", plugin, what, mend, run)


def _two_groups(scheduler: Scheduler, plugin: str, seconds: float) -> tuple[str, ...]:
    """Groups a and b of two pods each, on two nodes with room for one pod each."""
    looks_at_room = scheduler.room_plugin
    if scheduler.how_whole == "search" or not looks_at_room:
        return ()
    taken: dict[str, str] = {}

    def answers(call: Call) -> Any:
        match call:
            case PluginCall(point="Filter") if call.plugin == looks_at_room and call.node in taken:
                return PluginAnswer(Status(Code.UNSCHEDULABLE, (f"{taken[call.node]} holds the room",)))
            case PluginCall(point="PostFilter") if scheduler.release.minor >= 19:
                return PluginAnswer(Status(Code.UNSCHEDULABLE))
            case PluginCall(point="Permit") if call.plugin == plugin:
                return PluginAnswer(Status(Code.WAIT), timeout=int(seconds * 1000))
        return None

    profile = scheduler.profile
    if plugin not in profile.at("permit"):
        profile = evolve(profile, points=profile.points | {"permit": (*profile.at("permit"), plugin)})
    alone = evolve(_alone(scheduler), profile=profile, preempts=False)
    lines: list[str] = []
    waiting: list[Driver] = []
    for name in ("a1", "b1", "a2", "b2"):
        each = _begun(alone, name, answers)
        if each.waiting is None:
            lines.append(f"{name}: {each.run().failure}")
            continue
        node = next(node for node in NODES if node not in taken)
        taken[node] = name
        waiting.append(each)
        lines.append(f"{name}: assumed on {node}, waits at Permit for {plugin}, {seconds:g} s at most")
    for each in waiting:
        before = len(each.calls)
        each.go(Status(Code.UNSCHEDULABLE, ("rejected due to timeout",), plugin))
        lines += [f"{each.pod.name}, {seconds:g} s later: {line}" for line in each.run(since=before).lines]
    return tuple(lines)


def _begun(scheduler: Scheduler, name: str, answers: Answer) -> Driver:
    return driver(scheduler, pod_named(name), answers).go()


# --- Bind -------------------------------------------------------------------------------------------------------------


def _lost_reply(scheduler: Scheduler) -> Iterator[Hazard]:
    """The API server has bound the pod, and its reply is lost. The default configuration has this hazard too."""
    if "DefaultBinder" not in scheduler.profile.at("bind") and scheduler.release.minor > 17:
        return
    what = (
        "If the API server binds a pod and its reply is lost, DefaultBinder says that the binding failed: the "
        "scheduler gives back the room of a pod that runs, until its informer has heard of the binding."
    )
    run: tuple[str, ...] = ()
    if scheduler.how_whole != "search":

        def lost(call: Call) -> Any:
            mine = isinstance(call, PluginCall) and call.point == "Bind" and call.plugin == "DefaultBinder"
            return PluginAnswer(Status(Code.ERROR, ("context deadline exceeded",))) if mine else None

        pod = pod_named("p")
        run = driver(_alone(scheduler), pod, lost, stored=bound_to(pod, "n1")).go().run().lines
    yield hazard(scheduler, "lost-reply", "DefaultBinder", what, "Nothing: every scheduler has it.", run)
