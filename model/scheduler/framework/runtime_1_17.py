"""The framework of 1.17 asks the plugins of a point. Most failures are errors, whatever code the plugin answers.

Go: pkg/scheduler/framework/v1alpha1/framework.go; `podFitsOnNode` in pkg/scheduler/core/generic_scheduler.go.
"""

from model.go.formats import quote
from model.objects import Pod
from model.scheduler.framework.calls import Ask, PluginAnswer, PluginCall, Point, Steps
from model.scheduler.framework.runtime import MAX_TIMEOUT, Profile, rejects
from model.scheduler.framework.status import SUCCESS, Code, Status


def run_until_failure(profile: Profile, pod: Pod, point: Point, node: str = "") -> Steps[Status]:
    """All plugins of a point, until one does not succeed: then an error, whatever its code is."""
    for plugin in profile.at(point):
        answer: PluginAnswer = yield PluginCall(plugin, point, node)
        if not answer.status.ok:
            text = f"error while running {quote(plugin)} {point.lower()} plugin for pod {quote(pod.name)}: "
            return Status(Code.ERROR, (text + answer.status.message,))
    return SUCCESS


def run_pre_filter_plugins(profile: Profile, pod: Pod) -> Steps[Status]:
    for plugin in profile.at("PreFilter"):
        answer: PluginAnswer = yield PluginCall(plugin, "PreFilter")
        status = answer.status
        if rejects(status.code):
            return Status(status.code, (f"rejected by {quote(plugin)} at prefilter: {status.message}",))
        if not status.ok:
            text = f"error while running {quote(plugin)} prefilter plugin for pod {quote(pod.name)}: {status.message}"
            return Status(Code.ERROR, (text,))
    return SUCCESS


def run_filter_plugins(profile: Profile, pod: Pod, node: str) -> Steps[Status]:
    """Twice where pods are nominated to the node that count for this pod (Go: `podFitsOnNode`)."""
    for again in (False, True):
        if again and not (yield Ask("nominated", node)):
            break
        for plugin in profile.at("Filter"):
            answer: PluginAnswer = yield PluginCall(plugin, "Filter", node)
            status = answer.status
            if rejects(status.code):
                return status
            if not status.ok:
                text = f"error while running {quote(plugin)} filter plugin for pod {quote(pod.name)}: {status.message}"
                return Status(Code.ERROR, (text,))
    return SUCCESS


def run_permit_plugins(profile: Profile, pod: Pod, node: str) -> Steps[Status]:
    """Asks, and waits for those that say so."""
    waiting: dict[str, int] = {}
    for plugin in profile.at("Permit"):
        answer: PluginAnswer = yield PluginCall(plugin, "Permit", node)
        status = answer.status
        if rejects(status.code):
            return Status(status.code, (f"rejected by {quote(plugin)} at permit: {status.message}",))
        if status.code is Code.WAIT:
            waiting[plugin] = min(answer.timeout, MAX_TIMEOUT)
        elif not status.ok:
            text = f"error while running {quote(plugin)} permit plugin for pod {quote(pod.name)}: {status.message}"
            return Status(Code.ERROR, (text,))
    if not waiting:
        return SUCCESS
    decided: Status = yield Ask("permit", waiting=tuple(waiting.items()))
    if decided.ok:
        return SUCCESS
    return Status(decided.code, (f"pod {quote(pod.name)} rejected while waiting at permit: {decided.message}",))


def run_unreserve_plugins(profile: Profile, node: str) -> Steps[None]:
    for plugin in profile.at("Unreserve"):
        yield PluginCall(plugin, "Unreserve", node)
