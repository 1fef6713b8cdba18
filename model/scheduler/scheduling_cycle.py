"""The scheduling cycle, from the snapshot to Permit, call by call.

Go: `schedulingCycle`, `schedulePod` in pkg/scheduler/schedule_one.go, 1.19 to 1.31 (to 1.25 in `scheduleOne`). What is
asked is yielded: see model/scheduler/framework/calls.py. Texts are those of the newest patch of a minor.
"""

from collections.abc import Callable, Iterable

from attrs import evolve, frozen

from model.go.errors import GoError
from model.objects import Pod
from model.scheduler.choose_host import ChoiceRules, Scorers, choose_host
from model.scheduler.cycle_failure import Failure, failure_of, filed_under
from model.scheduler.extenders import BinderRules, Extenders, find_nodes_that_pass_extenders
from model.scheduler.filtering import FilterSetup, Found, find_nodes_that_fit_pod
from model.scheduler.framework import runtime
from model.scheduler.framework.calls import Ask, CacheCall, QueueCall, Steps
from model.scheduler.framework.pre_filter import PreFiltered, PreFilterRules, run_pre_filter_plugins
from model.scheduler.framework.rules import error_text
from model.scheduler.framework.runtime import Profile, rejects
from model.scheduler.framework.status import Code, Status

NO_NODES = "no nodes available to schedule pods"


@frozen(slots=False, kw_only=True)
class CycleCallRules(PreFilterRules, ChoiceRules, BinderRules):
    """What releases do differently in a cycle."""

    # What PostFilter says -> how the text of the failure has it.
    post_filter_message: Callable[[str], str]
    # Whether the text of the failure has an error of PostFilter.
    tells_error_of_post_filter: Callable[[], bool]
    # (number of nodes, their statuses, what PreFilter says, what PostFilter says) -> the text of the failure.
    no_fit: Callable[[int, Iterable[Status], str, str], str]
    # Whether a failure is filed under the names of the plugins that reject.
    files_plugins: Callable[[], bool]
    # The code of an error before a host is chosen: it gives the condition its reason.
    code_of_search_error: Callable[[], Code]
    # (the rejection) -> the failure of a scheduling cycle whose pod Reserve or Permit rejects.
    rejected_in_cycle: Callable[[Status], Failure]
    # The nomination after a failure for which no plugin finds a node; see `CycleRules`.
    nominate_without_candidate: Callable[[], str | None]
    # (the rejection) -> the failure of a binding cycle whose pod is rejected while it waits at Permit.
    rejected_while_waiting: Callable[[Status], Failure]
    # (the rejection) -> the failure of a binding cycle whose pod a PreBind plugin rejects.
    rejected_in_pre_bind: Callable[[Status], Failure]
    # (the nodes, what PreFilter said) -> the statuses of the nodes that PostFilter hears of.
    statuses_of_rejected_pre_filter: Callable[[tuple[str, ...], Status], dict[str, Status]]
    # The names under which a rejection by an extender is filed; see `CycleRules`.
    extender_plugins: Callable[[], frozenset[str]]
    # (the answer of whoever binds) -> the failure of a binding cycle that it ends.
    bind_failure: Callable[[Status], Failure]
    # The steps after a failed binding; see `CycleRules`.
    after_bind_error: Callable[[], tuple[str, ...]]
    # ("wait", "pre_bind" or "bind"; whether a plugin rejects the pod) -> whether the move of other pods comes last.
    move_waits: Callable[[str, bool], bool]
    # Whether the queue is told when it is done with a pod.
    tells_done: Callable[[], bool]


@frozen
class CycleSetup:
    """A scheduler, its profile and its extenders."""

    rules: CycleCallRules
    profile: Profile
    extenders: Extenders
    # percentageOfNodesToScore.
    percentage: int = 0


@frozen
class CycleResult:
    """How a scheduling cycle has ended."""

    # The node; "" after a failure.
    host: str = ""
    failure: Failure | None = None
    # The nomination after a failure: "" takes it back, None leaves it alone.
    nominated: str | None = ""
    # nextStartNodeIndex afterwards.
    start: int = 0
    # The plugins for which the pod waits, with their timeouts in ms.
    waiting: tuple[tuple[str, int], ...] = ()
    # The text of a panic; "" for none.
    panic: str = ""


def scheduling_cycle(setup: CycleSetup, pod: Pod, start: int) -> Steps[CycleResult]:
    """From the snapshot to Permit. `start`: nextStartNodeIndex."""
    nodes: tuple[str, ...] = yield Ask("snapshot")
    if not nodes:
        failure = Failure(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, NO_NODES)
        return _failed(setup, failure, start)
    pre_filtered = yield from run_pre_filter_plugins(setup.rules, setup.profile, pod.name)
    if pre_filtered.status.code is Code.ERROR:
        return _ended(setup, GoError(pre_filtered.status.message), start)
    found = Found(start)
    if pre_filtered.status.ok:
        found = yield from _feasible(setup, pod, nodes, start, pre_filtered)
        if found.error is not None:
            return _ended(setup, found.error, found.start)
    else:
        found.statuses = setup.rules.statuses_of_rejected_pre_filter(nodes, pre_filtered.status)
    if not found.feasible:
        return (yield from _no_fit(setup, nodes, found, pre_filtered))
    scorers = Scorers(setup.rules, setup.profile, setup.extenders, error_text)
    host = yield from choose_host(scorers, pod, found.feasible)
    if isinstance(host, GoError):
        return _ended(setup, host, found.start)
    result = yield from _take(setup, pod, host)
    return evolve(result, start=found.start)


def _ended(setup: CycleSetup, error: GoError, start: int) -> CycleResult:
    """A cycle without a host: an error fails the attempt, and a panic ends the process."""
    if error.panic:
        return CycleResult(panic=error.text, start=start)
    return _failed(setup, Failure(setup.rules.code_of_search_error(), error.text), start)


def _failed(setup: CycleSetup, failure: Failure, start: int = 0) -> CycleResult:
    """A cycle that ended before anybody could preempt, or after."""
    return CycleResult(failure=failure, nominated=setup.rules.nominate_without_candidate(), start=start)


def _feasible(
    setup: CycleSetup, pod: Pod, nodes: tuple[str, ...], start: int, pre_filtered: PreFiltered
) -> Steps[Found]:
    """Go: `findNodesThatFitPod` after PreFilter."""
    profile, extenders = setup.profile, setup.extenders

    def check(node: str) -> Steps[Status]:
        return runtime.run_filter_plugins(profile, node, pre_filtered.skipped, pod.name, setup.rules.plugin_error)

    def narrow(left: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
        return find_nodes_that_pass_extenders(extenders, left, statuses)

    # An extender that filters is enough for Go to look for more than one node, and each extender here filters.
    chooses = bool(extenders) or bool(profile.at("Score"))
    filters = check if profile.at("Filter") else None
    asked = FilterSetup(setup.rules, setup.percentage, None, chooses, filters, narrow)
    # Go takes the named nodes in the order of a map. Here they come by name, as one of Go's orders.
    named = None if pre_filtered.nodes is None else tuple(sorted(pre_filtered.nodes))
    return (yield from find_nodes_that_fit_pod(asked, nodes, start, pod.nominated_node_name, named))


def _no_fit(setup: CycleSetup, nodes: tuple[str, ...], found: Found, pre_filtered: PreFiltered) -> Steps[CycleResult]:
    """PostFilter, if the profile has it, and the text of the failure."""
    more = setup.rules.rejected_by_naming(pre_filtered.named_by)
    if found.narrowed:
        more |= setup.rules.extender_plugins()
    statuses = list(found.statuses.values())
    rejections = statuses if pre_filtered.status.ok else [pre_filtered.status]
    filed = filed_under(rejections, more) if setup.rules.files_plugins() else ()
    post_filter, nominated = "", None
    if setup.profile.at("PostFilter"):
        answer = yield from runtime.run_post_filter_plugins(setup.rules, setup.profile, list(found.statuses.items()))
        nominated = answer.nominated
        told = answer.status.code is not Code.ERROR or setup.rules.tells_error_of_post_filter()
        if answer.status.message and told:
            post_filter = setup.rules.post_filter_message(answer.status.message)
    text = setup.rules.no_fit(len(nodes), statuses, pre_filtered.status.message, post_filter)
    return CycleResult(failure=Failure(Code.UNSCHEDULABLE, text, *filed), nominated=nominated, start=found.start)


def _take(setup: CycleSetup, pod: Pod, host: str) -> Steps[CycleResult]:
    """Assume, Reserve, Permit; after a failure all is given back."""
    error = yield CacheCall("AssumePod", evolve(pod, node_name=host), host)
    if error is not None:
        return _failed(setup, Failure(Code.ERROR, error))
    yield QueueCall("DeleteNominatedPodIfExists", pod)
    waiting: tuple[tuple[str, int], ...] = ()
    status = yield from runtime.run_reserve_plugins(setup.rules, setup.profile, pod.name, host)
    if status.ok:
        status, waiting = yield from runtime.run_permit_plugins(setup.rules, setup.profile, pod.name, host)
    if status.ok or (status.code is Code.WAIT and waiting):
        return CycleResult(host, waiting=waiting)
    yield from runtime.run_unreserve_plugins(setup.profile, host)
    yield CacheCall("ForgetPod", evolve(pod, node_name=host))
    return _failed(setup, setup.rules.rejected_in_cycle(status) if rejects(status.code) else failure_of(status))
