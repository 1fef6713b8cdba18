"""One pod, from what `Pop` gave to PostBind, as 1.17 does it, call by call.

Go: `scheduleOne`, `bind`, `preempt`, `recordSchedulingFailure` in pkg/scheduler/scheduler.go, `Schedule` in
core/generic_scheduler.go, `MakeDefaultErrorFunc` in factory.go, the runs of plugins in framework/v1alpha1/framework.go.
What differs from later releases: Reserve comes before the pod is assumed, and its failure gives nothing back; Permit is
asked in the goroutine; PostFilter only hears which nodes are left; preemption is no plugin, and comes after the failure
was recorded; Unreserve is not asked in reverse.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve, frozen

from model.go.errors import GoError
from model.go.formats import quote
from model.objects import NAMESPACE, Pod
from model.scheduler.choose_host import ChoiceRules, Scorers, choose_host
from model.scheduler.extenders import Extenders, find_nodes_that_pass_extenders
from model.scheduler.filtering import FilterSetup, Found, find_nodes_that_fit_pod
from model.scheduler.framework import runtime_1_17 as runtime
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
    QueueCall,
    Steps,
    UpdateStatus,
    asked_again,
    driven,
)
from model.scheduler.framework.fit_error import fit_error
from model.scheduler.framework.runtime import Profile, rejects
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod
from model.scheduler.preemption.preempt import MinCandidates, Preempted, PreemptionRules, preempt
from model.scheduler.scheduling_cycle import NO_NODES

SCHEDULER_ERROR, UNSCHEDULABLE = "SchedulerError", "Unschedulable"
# Go's numbers of the codes, as the text of a failed binding has them.
_NUMBERS = {code: number for number, code in enumerate(Code)}


@frozen
class Setup:
    """A scheduler of 1.17, its profile and its extenders."""

    rules: ChoiceRules
    preemption: PreemptionRules
    profile: Profile
    extenders: Extenders
    # Whether preemption is switched on.
    preempts: bool = True


@frozen
class Error:
    """Why `Schedule` has failed."""

    text: str
    # Of a FitError: the statuses of the nodes; preemption is tried.
    statuses: dict[str, Status] | None = None


def _schedule(setup: Setup, pod: Pod, start: int) -> Steps[tuple[str | Error, int]]:
    """The node, or the error; and nextStartNodeIndex afterwards."""
    nodes: tuple[str, ...] = yield Ask("snapshot")
    if not nodes:
        return Error(NO_NODES), start
    status = yield from runtime.run_pre_filter_plugins(setup.profile, pod)
    if not status.ok:
        return Error(status.message), start

    def check(node: str) -> Steps[Status]:
        return runtime.run_filter_plugins(setup.profile, pod, node)

    # What extenders say stands apart: PostFilter and preemption hear what plugins say.
    by_extenders: dict[str, Status] = {}

    def narrow(left: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
        return find_nodes_that_pass_extenders(setup.extenders, left, by_extenders)

    asked = FilterSetup(setup.rules, 0, None, True, check if setup.profile.at("Filter") else None, narrow)
    found: Found = yield from find_nodes_that_fit_pod(asked, nodes, start, "", None)
    if found.error is not None:
        return Error(found.error.text), found.start
    for plugin in setup.profile.at("PostFilter"):
        codes = tuple((node, status.code) for node, status in found.statuses.items())
        status = (yield PluginCall(plugin, "PostFilter", statuses=codes, nodes=found.feasible)).status
        if not status.ok:
            text = f"error while running {quote(plugin)} postfilter plugin for pod {quote(pod.name)}: {status.message}"
            return Error(text), found.start
    if not found.feasible:
        # `FitError` counts all that a plugin says of a node as one reason, also if the plugin says nothing.
        by_plugins = [Status(status.code, (status.message,)) for status in found.statuses.values()]
        return Error(fit_error(len(nodes), [*by_plugins, *by_extenders.values()]), found.statuses), found.start
    scorers = Scorers(setup.rules, setup.profile, setup.extenders, lambda status: status.message)
    host = yield from choose_host(scorers, pod, found.feasible)
    return Error(host.text) if isinstance(host, GoError) else host, found.start


def _record_failure(text: str, reason: str, message: str = "", missing_node: str = "") -> Steps[None]:
    """Go: `recordSchedulingFailure`. `message`: of the event, where it is not the error's text."""
    yield ErrorFuncCall(text, missing_node)
    yield Event("Warning", "FailedScheduling", "Scheduling", message or text)
    yield UpdateStatus(reason=reason, message=text)


def preempted(setup: Setup, statuses: dict[str, Status]) -> Steps[None]:
    """Go: `preempt`."""
    preemptor: Pod | None = yield PodRequest("preempt")
    if preemptor is None:
        return
    nodes: Sequence[PreemptionNode] = yield Ask("nodes with pods")

    def compute(ask: Callable[[Call], Any]) -> tuple[Preempted | GoError, ...]:
        def run_filters(pod: PreemptionPod, node: PreemptionNode) -> Status:
            return driven(runtime.run_filter_plugins(setup.profile, preemptor, node.name), ask)

        pod = PreemptionPod(preemptor.name, preemptor.priority, nominated_node_name=preemptor.nominated_node_name)
        return preempt(setup.preemption, run_filters, pod, tuple(nodes), statuses, (), MinCandidates())

    answers = [answer for answer in (yield from asked_again(compute)) if isinstance(answer, Preempted)]
    hosts = tuple(sorted({answer.nominated for answer in answers if answer.nominated}))
    if hosts:
        host: str = hosts[0] if len(hosts) == 1 else (yield Ask("host", nodes=hosts))
        yield QueueCall("UpdateNominatedPodForNode", preemptor, nominated=host)
        error = yield UpdateStatus(nominated=host)
        if error is not None:
            yield QueueCall("DeleteNominatedPodIfExists", preemptor)
    elif any(answer.nominated == "" for answer in answers) and preemptor.nominated_node_name:
        yield UpdateStatus(nominated="")


def schedule_one(setup: Setup, pod: Pod, start: int) -> Steps[int]:
    """All that happens to a popped pod. Answers nextStartNodeIndex afterwards."""
    if pod.terminating:
        text = f"skip schedule deleting pod: {NAMESPACE}/{pod.name}"
        yield Event("Warning", "FailedScheduling", "Scheduling", text)
        return start
    host, start = yield from _schedule(setup, pod, start)
    if isinstance(host, Error):
        yield from _record_failure(host.text, UNSCHEDULABLE)
        if host.statuses is not None and setup.preempts:
            yield from preempted(setup, host.statuses)
        return start
    assumed = evolve(pod, node_name=host)
    status = yield from runtime.run_until_failure(setup.profile, pod, "Reserve", host)
    if not status.ok:
        yield from _record_failure(status.message, SCHEDULER_ERROR)
        return start
    error = yield CacheCall("AssumePod", assumed, host)
    if error is not None:
        yield from _record_failure(error, SCHEDULER_ERROR, f"AssumePod failed: {error}")
        yield from runtime.run_unreserve_plugins(setup.profile, host)
        return start
    yield QueueCall("DeleteNominatedPodIfExists", pod)
    yield from binding_cycle(setup, pod, assumed)
    return start


def binding_cycle(setup: Setup, pod: Pod, assumed: Pod) -> Steps[None]:
    """What Go does in a goroutine of its own: from Permit to PostBind."""
    host = assumed.node_name
    status = yield from runtime.run_permit_plugins(setup.profile, pod, host)
    reason = UNSCHEDULABLE if rejects(status.code) else SCHEDULER_ERROR
    if status.ok:
        status, reason = (yield from runtime.run_until_failure(setup.profile, pod, "PreBind", host)), SCHEDULER_ERROR
    if not status.ok:
        yield CacheCall("ForgetPod", assumed)
        yield from runtime.run_unreserve_plugins(setup.profile, host)
        yield from _record_failure(status.message, reason)
        return
    error = yield from _bind(setup, pod, host)
    yield CacheCall("FinishBinding", assumed)
    if error is not None:
        yield CacheCall("ForgetPod", assumed)
        yield from runtime.run_unreserve_plugins(setup.profile, host)
        text, missing = (error, "") if isinstance(error, str) else error
        yield from _record_failure(text, SCHEDULER_ERROR, f"Binding rejected: {text}", missing)
        return
    text = f"Successfully assigned {NAMESPACE}/{pod.name} to {host}"
    yield Event("Normal", "Scheduled", "Binding", text)
    for plugin in setup.profile.at("PostBind"):
        yield PluginCall(plugin, "PostBind", host)


def _bind(setup: Setup, pod: Pod, host: str) -> Steps[str | tuple[str, str] | None]:
    """The error of the plugins, or of the binder: an extender if one binds, else the scheduler's own.

    A pair is the error that the node in its second part does not exist.
    """
    for plugin in setup.profile.at("Bind"):
        answer: PluginAnswer = yield PluginCall(plugin, "Bind", host)
        if answer.status.code is Code.SKIP:
            continue
        if answer.status.ok:
            return None
        text = f'bind plugin {quote(plugin)} failed to bind pod "{NAMESPACE}/{pod.name}": {answer.status.message}'
        return f"Bind failure, code: {_NUMBERS[Code.ERROR]}: {text}"
    for extender in setup.extenders:
        if extender.binder and extender.interested:
            reply: ExtenderAnswer = yield ExtenderCall(extender.name, "Bind", (host,))
            return reply.error
    answer = yield PluginCall("DefaultBinder", "Bind", host)
    if answer.status.ok:
        return None
    return (answer.status.message, answer.nominated) if answer.nominated else answer.status.message
