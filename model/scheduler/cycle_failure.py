"""Why a cycle has failed, and under whose names the failure is filed.

Go: `FitError`, `Diagnosis` in pkg/scheduler/framework/types.go, 1.28 to 1.31.
"""

from collections.abc import Iterable

from attrs import frozen

from model.scheduler.framework.fit_error import fit_error
from model.scheduler.framework.runtime import rejects
from model.scheduler.framework.status import Code, Status


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
    """Permit's wait to 1.28, PreBind to 1.30: the rejection is filed under the names of the attempt before."""
    return Failure(status.code, status.message)


def binding_rejection_is_no_fit(status: Status) -> Failure:
    """From then on under the name of the plugin that rejects. Nobody asks whether the plugin is pending."""
    plugins = frozenset({status.plugin})
    return Failure(status.code, fit_error(1, [status]), unschedulable_plugins=plugins, pending_plugins=frozenset())
