"""The framework asks the plugins of a point, and puts their answers together.

Go: `frameworkImpl` in pkg/scheduler/framework/runtime/framework.go, 1.28 to 1.31.
"""

from collections.abc import Collection, Sequence

from attrs import evolve, field, frozen

from model.go.formats import quote
from model.scheduler.framework.calls import Ask, PluginAnswer, PluginCall, Point, Steps
from model.scheduler.framework.status import SUCCESS, Code, Status

# What `fmt.Errorf("...: %w", nil)` prints.
NIL = "%!w(<nil>)"
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


def error_text(status: Status) -> str:
    """Go: `AsError`, as `%w` prints it: Wait and Skip are no errors."""
    return NIL if status.code in (Code.SUCCESS, Code.WAIT, Code.SKIP) else status.message


def failed(text: str, plugin: str = "") -> Status:
    """Go: `AsStatus`."""
    return Status(Code.ERROR, (text,), plugin)


# --- Filter, PostFilter -----------------------------------------------------------------------------------------------


def run_filter_plugins(profile: Profile, node: str, skipped: Collection[str]) -> Steps[Status]:
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
            return failed(f"running {quote(plugin)} filter plugin: {error_text(answer.status)}", plugin)
    return SUCCESS


@frozen
class PostFiltered:
    """The merged answers of PostFilter."""

    status: Status
    # The nominated node; "" takes the nomination back; None: no plugin has said.
    nominated: str | None


def run_post_filter_plugins(profile: Profile, statuses: Sequence[tuple[str, Status]]) -> Steps[PostFiltered]:
    """The first success, UnschedulableAndUnresolvable or error; else all reasons, and the last result."""
    codes = tuple((node, status.code) for node, status in statuses)
    nominated: str | None = None
    reasons: list[str] = []
    first = ""
    for plugin in profile.at("PostFilter"):
        answer: PluginAnswer = yield PluginCall(plugin, "PostFilter", statuses=codes)
        status = answer.status
        if status.ok or status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return PostFiltered(evolve(status, plugin=plugin), answer.nominated)
        if not rejects(status.code):
            return PostFiltered(failed(error_text(status), plugin), None)
        nominated = nominated if answer.nominated is None else answer.nominated
        reasons += status.reasons
        first = first or plugin
    return PostFiltered(Status(Code.UNSCHEDULABLE, tuple(reasons), first), nominated)


# --- Reserve, Permit, PreBind, Bind, PostBind -------------------------------------------------------------------------


def _run_until_failure(profile: Profile, point: Point, node: str) -> Steps[Status]:
    for plugin in profile.at(point):
        answer: PluginAnswer = yield PluginCall(plugin, point, node)
        if answer.status.ok:
            continue
        if rejects(answer.status.code):
            return evolve(answer.status, plugin=plugin)
        return failed(f"running {point} plugin {quote(plugin)}: {error_text(answer.status)}")
    return SUCCESS


def run_reserve_plugins(profile: Profile, node: str) -> Steps[Status]:
    """Go: `RunReservePluginsReserve`. The first failure ends it; nothing is given back here."""
    return (yield from _run_until_failure(profile, "Reserve", node))


def run_unreserve_plugins(profile: Profile, node: str) -> Steps[None]:
    """Go: `RunReservePluginsUnreserve`: all Reserve plugins in reverse, also those that were not asked to reserve."""
    for plugin in reversed(profile.at("Reserve")):
        yield PluginCall(plugin, "Unreserve", node)


def run_permit_plugins(profile: Profile, node: str) -> Steps[tuple[Status, tuple[tuple[str, int], ...]]]:
    """The merged status, and the plugins for which the pod has to wait, with their timeouts."""
    waiting: dict[str, int] = {}
    for plugin in profile.at("Permit"):
        answer: PluginAnswer = yield PluginCall(plugin, "Permit", node)
        status = answer.status
        if status.ok:
            continue
        if rejects(status.code):
            return evolve(status, plugin=plugin), ()
        if status.code is not Code.WAIT:
            return failed(f"running Permit plugin {quote(plugin)}: {error_text(status)}", plugin), ()
        waiting[plugin] = min(answer.timeout, MAX_TIMEOUT)
    return (Status(Code.WAIT), tuple(waiting.items())) if waiting else (SUCCESS, ())


def run_pre_bind_plugins(profile: Profile, node: str) -> Steps[Status]:
    """Go: `RunPreBindPlugins`."""
    return (yield from _run_until_failure(profile, "PreBind", node))


def run_bind_plugins(profile: Profile, node: str) -> Steps[Status]:
    """The first that does not say Skip decides."""
    status = Status(Code.SKIP)
    for plugin in profile.at("Bind"):
        answer: PluginAnswer = yield PluginCall(plugin, "Bind", node)
        status = answer.status
        if status.code is Code.SKIP:
            continue
        if status.ok:
            return status
        if rejects(status.code):
            return evolve(status, plugin=plugin)
        return failed(f"running Bind plugin {quote(plugin)}: {error_text(status)}")
    return status


def run_post_bind_plugins(profile: Profile, node: str) -> Steps[None]:
    """Go: `RunPostBindPlugins`. Nobody asks for an answer."""
    for plugin in profile.at("PostBind"):
        yield PluginCall(plugin, "PostBind", node)
