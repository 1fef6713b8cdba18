"""One pod, from what `Pop` gave to PostBind, as 1.18 does it, call by call.

Go: `scheduleOne`, `bind` in pkg/scheduler/scheduler.go, `Schedule` in core/generic_scheduler.go, the runs of plugins in
framework/v1alpha1/framework.go. As in 1.17 Reserve comes before the pod is assumed, and its failure gives nothing back.
What is new: Permit is asked in the scheduling cycle, and the goroutine begins with the wait; preemption comes before
the failure is recorded; extenders bind before plugins do; PreScore is asked also for a single node. There are no
recordings of 1.18.
"""

from attrs import evolve, field, frozen

from model.go.errors import GoError
from model.objects import NAMESPACE, Pod
from model.scheduler.choose_host import Scorers, choose_host
from model.scheduler.extenders import extenders_binding, find_nodes_that_pass_extenders, first_binder_decides
from model.scheduler.filtering import FilterSetup, Found, find_nodes_that_fit_pod
from model.scheduler.framework import runtime, runtime_1_17
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    ErrorFuncCall,
    Event,
    PluginAnswer,
    PluginCall,
    QueueCall,
    Steps,
    UpdateStatus,
)
from model.scheduler.framework.fit_error import fit_error_of_nodes
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile, rejects
from model.scheduler.framework.status import Code, Status
from model.scheduler.schedule_one_1_17 import SCHEDULER_ERROR, UNSCHEDULABLE, Error, Setup as Setup117, preempted
from model.scheduler.scheduling_cycle import NO_NODES


@frozen
class Setup(Setup117):
    """A scheduler of 1.18, its profile and its extenders."""

    framework: FrameworkRules = field(kw_only=True)


def _schedule(setup: Setup, pod: Pod, start: int) -> Steps[tuple[str | Error, int]]:
    """The node, or the error; and nextStartNodeIndex afterwards."""
    nodes: tuple[str, ...] = yield Ask("snapshot")
    if not nodes:
        return Error(NO_NODES), start
    status = yield from runtime_1_17.run_pre_filter_plugins(setup.profile, pod)
    if not status.ok:
        return Error(status.message), start

    def check(node: str) -> Steps[Status]:
        return runtime.run_filter_plugins(setup.profile, node, (), pod.name, setup.framework.plugin_error)

    def narrow(left: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
        return find_nodes_that_pass_extenders(setup.extenders, left, statuses)

    asked = FilterSetup(setup.rules, 0, None, True, check if setup.profile.at("Filter") else None, narrow)
    found: Found = yield from find_nodes_that_fit_pod(asked, nodes, start, "", None)
    if found.error is not None:
        return Error(found.error.text), found.start
    if not found.feasible:
        return Error(fit_error_of_nodes(len(nodes), found.statuses.values()), found.statuses), found.start
    for plugin in setup.profile.at("PreScore"):
        answer: PluginAnswer = yield PluginCall(plugin, "PreScore")
        if not answer.status.ok:
            return Error(setup.framework.plugin_error("PreScore", plugin, pod.name, answer.status)), found.start
    scored = Profile({point: names for point, names in setup.profile.points.items() if point != "PreScore"})
    scorers = Scorers(setup.rules, scored, setup.extenders, lambda status: status.message)
    host = yield from choose_host(scorers, pod, found.feasible)
    return Error(host.text) if isinstance(host, GoError) else host, found.start


def _record_failure(setup: Setup, text: str, reason: str, message: str = "") -> Steps[None]:
    """Go: `recordSchedulingFailure`. `message`: of the event, where it is not the error's text."""
    yield ErrorFuncCall(text)
    yield Event("Warning", "FailedScheduling", "Scheduling", setup.framework.event_text(message or text))
    yield UpdateStatus(reason=reason, message=text)


def schedule_one(setup: Setup, pod: Pod, start: int, known_profile: bool = True) -> Steps[int]:
    """All that happens to a popped pod. Answers nextStartNodeIndex afterwards.

    `known_profile`: whether a profile has the pod's schedulerName. If none has, nothing happens.
    """
    if not known_profile:
        return start
    if pod.terminating:
        text = f"skip schedule deleting pod: {NAMESPACE}/{pod.name}"
        yield Event("Warning", "FailedScheduling", "Scheduling", text)
        return start
    if (yield Ask("assumed")):
        return start
    host, start = yield from _schedule(setup, pod, start)
    if isinstance(host, Error):
        if host.statuses is not None and setup.preempts:
            yield from preempted(setup, host.statuses)
        yield from _record_failure(setup, host.text, UNSCHEDULABLE)
        return start
    assumed = evolve(pod, node_name=host)
    status = yield from runtime_1_17.run_until_failure(setup.profile, pod, "Reserve", host)
    if not status.ok:
        yield from _record_failure(setup, status.message, SCHEDULER_ERROR)
        return start
    error = yield CacheCall("AssumePod", assumed, host)
    if error is not None:
        yield from _record_failure(setup, error, SCHEDULER_ERROR, f"AssumePod failed: {error}")
        yield from runtime_1_17.run_unreserve_plugins(setup.profile, host)
        return start
    yield QueueCall("DeleteNominatedPodIfExists", pod)
    status, waiting = yield from runtime.run_permit_plugins(setup.framework, setup.profile, pod.name, host)
    if not status.ok and not waiting:
        yield from _given_up(setup, assumed, status)
        return start
    yield from binding_cycle(setup, pod, assumed, waiting)
    return start


def _given_up(setup: Setup, assumed: Pod, status: Status) -> Steps[None]:
    """A failed Permit, wait or PreBind: the pod is forgotten before the plugins give back."""
    yield CacheCall("ForgetPod", assumed)
    yield from runtime_1_17.run_unreserve_plugins(setup.profile, assumed.node_name)
    yield from _record_failure(setup, status.message, UNSCHEDULABLE if rejects(status.code) else SCHEDULER_ERROR)


def binding_cycle(setup: Setup, pod: Pod, assumed: Pod, waiting: tuple[tuple[str, int], ...]) -> Steps[None]:
    """What Go does in a goroutine of its own: from the wait for Permit to PostBind."""
    host, rules = assumed.node_name, setup.framework
    if waiting:
        status: Status = yield Ask("permit", waiting=waiting)
        if not status.ok:
            if rejects(status.code):
                told = rules.rejection_at_permit(True, pod.name, status)
            else:
                told = runtime.failed(rules.plugin_error("WaitOnPermit", "", pod.name, status))
            yield from _given_up(setup, assumed, told)
            return
    status = yield from runtime_1_17.run_until_failure(setup.profile, pod, "PreBind", host)
    if not status.ok:
        yield from _given_up(setup, assumed, status)
        return
    bound = yield from extenders_binding(setup.extenders, host, first_binder_decides)
    if bound is None:
        bound = yield from runtime.run_bind_plugins(rules, setup.profile, pod.name, host)
    yield CacheCall("FinishBinding", assumed)
    if not bound.ok:
        text = bound.message if bound.code is Code.ERROR else f"bind status: {bound.code}, {bound.message}"
        yield CacheCall("ForgetPod", assumed)
        yield from runtime_1_17.run_unreserve_plugins(setup.profile, host)
        yield from _record_failure(setup, text, SCHEDULER_ERROR, f"Binding rejected: {text}")
        return
    text = f"Successfully assigned {NAMESPACE}/{pod.name} to {host}"
    yield Event("Normal", "Scheduled", "Binding", text)
    yield from runtime.run_post_bind_plugins(setup.profile, host)
