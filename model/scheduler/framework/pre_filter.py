"""The framework asks the plugins of PreFilter, and puts their answers together.

Go: `RunPreFilterPlugins` in pkg/scheduler/framework/runtime/framework.go, 1.19 to 1.31. To 1.23 no plugin names nodes.
"""

from collections.abc import Callable

from attrs import evolve, frozen

from model.scheduler.framework.calls import PluginAnswer, PluginCall, Steps
from model.scheduler.framework.rules import FrameworkRules
from model.scheduler.framework.runtime import Profile, failed, rejects
from model.scheduler.framework.status import SUCCESS, Code, Status


@frozen
class PreFiltered:
    """The merged answers of PreFilter."""

    status: Status = SUCCESS
    # The nodes that the pod may go to; None: all.
    nodes: frozenset[str] | None = None
    # The plugins that are not asked at Filter.
    skipped: frozenset[str] = frozenset()
    # The plugins that named nodes.
    named_by: tuple[str, ...] = ()


def rejects_unless_pending(code: Code) -> bool:
    """PreFilter from 1.30 on: a plugin that is pending has made an error."""
    return rejects(code) and code is not Code.PENDING


def first_rejection_ends(code: Code) -> bool:
    """To 1.29: whether no other plugin is asked at PreFilter after this answer."""
    return True


def unschedulable_goes_on(code: Code) -> bool:
    """1.30 on: after Unschedulable the others are asked, since one of them may say Unresolvable."""
    return code is not Code.UNSCHEDULABLE


def unschedulable() -> Code:
    """To 1.29: preemption is tried although no pod that goes gives the plugins a node in common."""
    return Code.UNSCHEDULABLE


def unschedulable_and_unresolvable() -> Code:
    """1.30 on."""
    return Code.UNSCHEDULABLE_AND_UNRESOLVABLE


def naming_is_no_rejection(plugins: tuple[str, ...]) -> frozenset[str]:
    """To 1.30: the plugins under whose names a failure is filed because they have named nodes."""
    return frozenset()


def naming_is_a_rejection(plugins: tuple[str, ...]) -> frozenset[str]:
    """1.31 on: who has left nodes out may be the cause of the failure."""
    return frozenset(plugins)


def skip_is_an_error_of_pre_filter() -> bool:
    """To 1.26."""
    return False


def skip_leaves_out_of_filter() -> bool:
    """1.27 on: a PreFilter plugin that says Skip is not asked at Filter."""
    return True


@frozen(slots=False, kw_only=True)
class PreFilterRules(FrameworkRules):
    """What releases do differently at PreFilter."""

    # Whether a plugin may say Skip. Else it is an error.
    skips_at_pre_filter: Callable[[], bool]
    # (what a PreFilter plugin says) -> whether this rejects the pod. Else it is an error.
    rejects_at_pre_filter: Callable[[Code], bool]
    # (the code of a rejection) -> whether PreFilter ends with it.
    pre_filter_ends: Callable[[Code], bool]
    # The code where the named nodes have none in common.
    no_common_node: Callable[[], Code]
    # (the plugins that named nodes) -> those under whose names a failure is filed for this.
    rejected_by_naming: Callable[[tuple[str, ...]], frozenset[str]]


def run_pre_filter_plugins(rules: PreFilterRules, profile: Profile, pod: str) -> Steps[PreFiltered]:
    """Which nodes the plugins leave, or why none of them will do."""
    found = PreFiltered()
    for plugin in profile.at("PreFilter"):
        answer: PluginAnswer = yield PluginCall(plugin, "PreFilter")
        status = answer.status
        if status.code is Code.SKIP and rules.skips_at_pre_filter():
            found = evolve(found, skipped=found.skipped | {plugin})
            continue
        if not status.ok:
            if not rules.rejects_at_pre_filter(status.code):
                text = rules.plugin_error("PreFilter", plugin, pod, status)
                return evolve(found, status=failed(text, plugin), nodes=None)
            status = evolve(status, plugin=plugin)
            found = evolve(found, status=status)
            if rules.pre_filter_ends(status.code):
                return evolve(found, nodes=None, named_by=())
            continue
        if answer.nodes is None:
            continue
        nodes = answer.nodes if found.nodes is None else found.nodes & answer.nodes
        found = evolve(found, nodes=nodes, named_by=(*found.named_by, plugin))
        if not nodes:
            names = sorted(found.named_by)
            text = f"node(s) didn't satisfy plugin {names[0]}"
            if len(names) > 1:
                text = f"node(s) didn't satisfy plugin(s) [{' '.join(names)}] simultaneously"
            return evolve(found, status=Status(rules.no_common_node(), (text,)))
    return found
