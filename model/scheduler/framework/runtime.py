"""The framework asks the plugins of a point, and puts their answers together.

Go: `frameworkImpl` in pkg/scheduler/framework/runtime/framework.go, 1.19 to 1.31.
"""

from collections.abc import Callable, Collection, Sequence

from attrs import evolve, field, frozen

from model.scheduler.framework.calls import Ask, PluginAnswer, PluginCall, Point, Steps
from model.scheduler.framework.rules import FrameworkRules, error_text, running_plugin
from model.scheduler.framework.status import SUCCESS, Code, Status

MAX_TIMEOUT = 15 * 60 * 1000


@frozen
class Profile:
    """The plugins of a profile at each point, in the order in which they are asked."""

    points: dict[Point, tuple[str, ...]] = field(hash=False)

    def at(self, point: Point) -> tuple[str, ...]:
        return self.points.get(point, ())


def rejects(code: Code) -> bool:
    """Go: `IsRejected`. Up to 1.28 no plugin is pending."""
    return code in (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING)


def failed(text: str, plugin: str = "") -> Status:
    """Go: `AsStatus`."""
    return Status(Code.ERROR, (text,), plugin)


# --- Filter, PostFilter -----------------------------------------------------------------------------------------------


def run_filter_plugins(
    profile: Profile,
    node: str,
    skipped: Collection[str],
    pod: str = "",
    plugin_error: Callable[[str, str, str, Status], str] = running_plugin,
) -> Steps[Status]:
    """The first answer that is no success; all plugins again without the nominated pods, where there are some."""
    for again in (False, True):
        if again and not (yield Ask("nominated", node)):
            break
        for plugin in profile.at("Filter"):
            if plugin in skipped:
                continue
            answer: PluginAnswer = yield PluginCall(plugin, "Filter", node)
            if answer.status.ok:
                continue
            if rejects(answer.status.code):
                return evolve(answer.status, plugin=plugin)
            return failed(plugin_error("Filter", plugin, pod, answer.status), plugin)
    return SUCCESS


@frozen
class PostFiltered:
    """The merged answers of PostFilter."""

    status: Status
    # The nominated node; "" takes the nomination back; None: no plugin has said.
    nominated: str | None


def run_post_filter_plugins(
    rules: FrameworkRules, profile: Profile, statuses: Sequence[tuple[str, Status]]
) -> Steps[PostFiltered]:
    """The first success or error, or what else ends it; else all reasons, and the last result.

    To 1.26 the reasons of several plugins are put together in the order of a map. Here they come as the plugins do.
    """
    codes = tuple((node, status.code) for node, status in statuses)
    nominated: str | None = None
    reasons: list[str] = []
    first = ""
    for plugin in profile.at("PostFilter"):
        answer: PluginAnswer = yield PluginCall(plugin, "PostFilter", statuses=codes)
        status = answer.status
        ends = status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE and rules.unresolvable_ends_post_filter()
        result = rules.post_filter_result(status, answer.nominated)
        if status.ok or ends:
            return PostFiltered(evolve(status, plugin=plugin), result)
        if not rejects(status.code):
            return PostFiltered(failed(error_text(status), plugin), None)
        nominated = nominated if result is None else result
        reasons += status.reasons
        first = first or plugin
    return PostFiltered(Status(Code.UNSCHEDULABLE, tuple(reasons), first), nominated)


# --- Reserve, Permit, PreBind, Bind, PostBind -------------------------------------------------------------------------


def _run_until_failure(rules: FrameworkRules, profile: Profile, point: Point, pod: str, node: str) -> Steps[Status]:
    for plugin in profile.at(point):
        answer: PluginAnswer = yield PluginCall(plugin, point, node)
        if answer.status.ok:
            continue
        if rejects(answer.status.code) and rules.passes_rejection(point):
            return evolve(answer.status, plugin=plugin)
        return failed(rules.plugin_error(point, plugin, pod, answer.status))
    return SUCCESS


def run_reserve_plugins(rules: FrameworkRules, profile: Profile, pod: str, node: str) -> Steps[Status]:
    """Go: `RunReservePluginsReserve`. The first failure ends it; nothing is given back here."""
    return (yield from _run_until_failure(rules, profile, "Reserve", pod, node))


def run_unreserve_plugins(profile: Profile, node: str) -> Steps[None]:
    """Go: `RunReservePluginsUnreserve`: all Reserve plugins in reverse, also those that were not asked to reserve."""
    for plugin in reversed(profile.at("Reserve")):
        yield PluginCall(plugin, "Unreserve", node)


def run_permit_plugins(
    rules: FrameworkRules, profile: Profile, pod: str, node: str
) -> Steps[tuple[Status, tuple[tuple[str, int], ...]]]:
    """The merged status, and the plugins for which the pod has to wait, with their timeouts."""
    waiting: dict[str, int] = {}
    for plugin in profile.at("Permit"):
        answer: PluginAnswer = yield PluginCall(plugin, "Permit", node)
        status = answer.status
        if status.ok:
            continue
        if rejects(status.code):
            return rules.rejection_at_permit(False, pod, evolve(status, plugin=plugin)), ()
        if status.code is not Code.WAIT:
            return failed(rules.plugin_error("Permit", plugin, pod, status), plugin), ()
        waiting[plugin] = min(answer.timeout, MAX_TIMEOUT)
    return (Status(Code.WAIT), tuple(waiting.items())) if waiting else (SUCCESS, ())


def run_pre_bind_plugins(rules: FrameworkRules, profile: Profile, pod: str, node: str) -> Steps[Status]:
    """Go: `RunPreBindPlugins`."""
    return (yield from _run_until_failure(rules, profile, "PreBind", pod, node))


def run_bind_plugins(rules: FrameworkRules, profile: Profile, pod: str, node: str) -> Steps[Status]:
    """The first that does not say Skip decides."""
    status = Status(Code.SKIP)
    for plugin in profile.at("Bind"):
        answer: PluginAnswer = yield PluginCall(plugin, "Bind", node)
        status = answer.status
        if status.code is Code.SKIP:
            continue
        if status.ok:
            return status
        if rejects(status.code) and rules.passes_rejection("Bind"):
            return evolve(status, plugin=plugin)
        return failed(rules.plugin_error("Bind", plugin, pod, status))
    return status


def run_post_bind_plugins(profile: Profile, node: str) -> Steps[None]:
    """Go: `RunPostBindPlugins`. Nobody asks for an answer."""
    for plugin in profile.at("PostBind"):
        yield PluginCall(plugin, "PostBind", node)
