"""What releases do differently with the answers of plugins: texts of errors, and which rejections are errors.

Go: pkg/scheduler/framework/runtime/framework.go, 1.19 to 1.31; framework/v1alpha1/framework.go in 1.18.
"""

from collections.abc import Callable

from attrs import evolve, frozen

from model.go.formats import quote
from model.objects import NAMESPACE
from model.scheduler.framework.status import Code, Status

# What `fmt.Errorf("...: %w", nil)` prints.
NIL = "%!w(<nil>)"


def error_text(status: Status) -> str:
    """Go: `AsError`, as `%w` prints it: Wait and Skip are no errors."""
    return NIL if status.code in (Code.SUCCESS, Code.WAIT, Code.SKIP) else status.message


def error_while_running_each(point: str, plugin: str, pod: str, status: Status) -> str:
    """1.18: most points say it in the same words."""
    if point in ("Filter", "Bind", "WaitOnPermit"):
        return error_while_running(point, plugin, pod, status)
    return f"error while running {quote(plugin)} {point.lower()} plugin for pod {quote(pod)}: {status.message}"


def error_while_running(point: str, plugin: str, pod: str, status: Status) -> str:
    """1.19: the text names the pod, and each point has its own words."""
    by, of, said = quote(plugin), f"for pod {quote(pod)}", status.message
    match point:
        case "PreFilter":
            return f"prefilter plugin {by} failed {of}: {said}"
        case "Filter":
            return f"running {by} filter plugin {of}: {said}"
        case "Reserve":
            return f"error while running Reserve in {by} reserve plugin {of}: {said}"
        case "Bind":
            return f'plugin {by} failed to bind pod "{NAMESPACE}/{pod}": {said}'
        case "WaitOnPermit":
            return f"error received while waiting on permit {of}: {said}"
    return f"error while running {by} {point.lower()} plugin {of}: {said}"


def running_plugin_but_filter(point: str, plugin: str, pod: str, status: Status) -> str:
    """1.20: as later, but that Filter names the pod."""
    say = error_while_running if point == "Filter" else running_plugin
    return say(point, plugin, pod, status)


def running_plugin(point: str, plugin: str, pod: str, status: Status) -> str:
    """1.21 to 1.23, and 1.26 on."""
    match point:
        case "Filter":
            return f"running {quote(plugin)} filter plugin: {error_text(status)}"
        case "WaitOnPermit":
            return f"waiting on permit for pod: {status.message}"
    return f"running {point} plugin {quote(plugin)}: {error_text(status)}"


def running_plugin_losing_pre_filter_error(point: str, plugin: str, pod: str, status: Status) -> str:
    """1.24 and 1.25: `RunPreFilterPlugins` tells the error of a status that is nil, and so of none."""
    return running_plugin(point, plugin, pod, Status() if point == "PreFilter" else status)


def passes_no_rejection(point: str) -> bool:
    """To 1.25: a rejection at Reserve, PreBind or Bind is an error."""
    return False


def passes_rejection_in_binding(point: str) -> bool:
    """1.26 and 1.27."""
    return point != "Reserve"


def passes_each_rejection(point: str) -> bool:
    """1.28 on."""
    return True


def rejected_at_permit(waits: bool, pod: str, status: Status) -> Status:
    """1.18 to 1.20: a text of the framework's own."""
    of = f"pod {quote(pod)}"
    text = (
        f"{of} rejected while waiting on permit" if waits else f"rejected {of} by permit plugin {quote(status.plugin)}"
    )
    return evolve(status, reasons=(f"{text}: {status.message}",))


def rejected_as_the_plugin_says(waits: bool, pod: str, status: Status) -> Status:
    """1.21 on."""
    return status


def only_a_success_nominates(status: Status, nominated: str | None) -> str | None:
    """To 1.23.1: no node, "", leaves the nomination alone."""
    return (nominated or None) if status.ok else None


def each_result_counts(status: Status, nominated: str | None) -> str | None:
    """1.23.2 on (#106816): a plugin that finds no node takes the nomination back."""
    return nominated


def goes_on_if_unresolvable() -> bool:
    """To 1.26: after UnschedulableAndUnresolvable the next PostFilter plugin is asked."""
    return False


def ends_if_unresolvable() -> bool:
    """1.27 on."""
    return True


@frozen(slots=False, kw_only=True)
class FrameworkRules:
    """What releases do differently with the answers of plugins."""

    # (point, or "WaitOnPermit"; plugin; name of the pod; what the plugin says) -> the text of the error.
    plugin_error: Callable[[str, str, str, Status], str]
    # The text of a failure -> the text of the event.
    event_text: Callable[[str], str]
    # (point) -> whether a rejection is passed on as it is at Reserve, PreBind or Bind. Else it is an error.
    passes_rejection: Callable[[str], bool]
    # (whether the pod waits; name of the pod; the rejection) -> the rejection that Permit, or the wait, ends with.
    rejection_at_permit: Callable[[bool, str, Status], Status]
    # (what a PostFilter plugin says, its result) -> the nomination that comes of it.
    post_filter_result: Callable[[Status, str | None], str | None]
    # Whether UnschedulableAndUnresolvable ends PostFilter.
    unresolvable_ends_post_filter: Callable[[], bool]
