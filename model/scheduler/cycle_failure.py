"""Why a cycle has failed, and under whose names the failure is filed.

Go: `FitError`, `Diagnosis` in pkg/scheduler/framework/types.go, 1.19 to 1.31 (to 1.20 in core/
generic_scheduler.go).
"""

from collections.abc import Iterable

from attrs import frozen

from model.scheduler.framework.fit_error import fit_error
from model.scheduler.framework.runtime import rejects
from model.scheduler.framework.status import Code, Status

# maxMsgSize of the recorder of events.
_LONGEST_MESSAGE = 1024


@frozen
class Failure:
    """Why a cycle has failed: the status, and the error in the status."""

    code: Code
    text: str
    # The plugins under whose names the failure is filed, and those that are pending. None: as they were at Pop.
    unschedulable_plugins: frozenset[str] | None = None
    pending_plugins: frozenset[str] | None = None
    # Whether the status has no error, although it is no success (Wait, Skip).
    no_error: bool = False
    # Of a binding cycle: "wait", "pre_bind" or "bind".
    at: str = ""


def filed_under(
    statuses: Iterable[Status], more: frozenset[str] = frozenset()
) -> tuple[frozenset[str], frozenset[str]]:
    """The plugins that reject the pod, and those that are pending (Go: `Diagnosis.AddPluginStatus`), after `more`."""
    found = [status for status in statuses if status.plugin]
    rejecting = frozenset(status.plugin for status in found if rejects(status.code))
    return more | rejecting, frozenset(status.plugin for status in found if status.code is Code.PENDING)


def rejected_pre_filter_is_an_error(nodes: tuple[str, ...], status: Status) -> dict[str, Status]:
    """To 1.18: a rejection at PreFilter is an error, so that no preemption follows, as if nothing could help."""
    return dict.fromkeys(nodes, Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, status.reasons))


def no_node_has_a_status(nodes: tuple[str, ...], status: Status) -> dict[str, Status]:
    """1.26 on (#110894): the rejection is told as a text only, so that preemption takes each node for one that fits."""
    return {}


def each_node_has_the_status(nodes: tuple[str, ...], status: Status) -> dict[str, Status]:
    """1.19 on, and again after #119778."""
    return dict.fromkeys(nodes, status)


def no_fit_on_host(status: Status) -> Failure:
    """The pod does not fit on the node that was chosen, as a plugin says."""
    return Failure(status.code, fit_error(1, [status]), *filed_under([status]))


def failure_of(status: Status) -> Failure:
    """A status that is no success, as it is."""
    no_error = status.code in (Code.WAIT, Code.SKIP)
    return Failure(status.code, status.message, no_error=no_error)


def binding_rejection_is_an_error_text(status: Status) -> Failure:
    """Permit's wait to 1.28, PreBind to 1.30 and from 1.33 on: filed under the names of the attempt before."""
    return Failure(status.code, status.message)


def binding_rejection_is_no_fit(status: Status) -> Failure:
    """From then on under the name of the plugin that rejects. Nobody asks whether the plugin is pending."""
    plugins = frozenset({status.plugin})
    return Failure(status.code, fit_error(1, [status]), unschedulable_plugins=plugins, pending_plugins=frozenset())


def _bind_error(says: str, status: Status) -> Failure:
    """The error that `scheduleOne` makes of what `bind` answers."""
    text = status.message if status.code is Code.ERROR else f"bind status: {status.code}, {status.message}"
    return Failure(Code.ERROR, f"{says}: {text}")


def binding_is_rejected_with_a_capital(status: Status) -> Failure:
    """1.19."""
    return _bind_error("Binding rejected", status)


def binding_is_rejected(status: Status) -> Failure:
    """1.20 to 1.25."""
    return _bind_error("binding rejected", status)


def no_move_waits(point: str, rejected: bool) -> bool:
    """To 1.22 there is no move."""
    return False


def move_after_wait_waits(point: str, rejected: bool) -> bool:
    """1.23 to 1.25 (#103805): after each failed wait others hear of the room when the failure is recorded."""
    return point == "wait"


def move_after_rejection_waits(point: str, rejected: bool) -> bool:
    """1.26 on: after each rejection in the binding cycle."""
    return rejected


def plugins_are_not_filed() -> bool:
    """To 1.20 the queue does not know who has rejected a pod."""
    return False


def plugins_are_filed() -> bool:
    """1.21 on."""
    return True


def queue_is_not_told() -> bool:
    """To 1.27."""
    return False


def queue_is_told() -> bool:
    """1.28 on: the queue keeps what happens while a pod is in flight, until `Done`."""
    return True


def search_error_is_unschedulable() -> Code:
    """To 1.24.8 and 1.25.1 the condition gives the reason Unschedulable, whatever fails before a host is chosen."""
    return Code.UNSCHEDULABLE


def search_error_is_an_error() -> Code:
    """From then on SchedulerError."""
    return Code.ERROR


def whole_message(message: str) -> str:
    """To 1.19.7 and 1.20.2 the recorder is given the whole text."""
    return message


def truncate_message(message: str) -> str:
    """From then on."""
    suffix = " ..."
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - len(suffix)] + suffix
