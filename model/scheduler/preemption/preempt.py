"""Preemption over all nodes: may the pod preempt, on which nodes could that help, and what is decided. Pure.

Go: `Preempt` in pkg/scheduler/core/generic_scheduler.go (to 1.18), framework/plugins/defaultpreemption (1.19 on) and
framework/preemption/preemption.go (1.23 on). One worker looks at the nodes, as in the recordings. What depends on the
order of a Go map, or on the random node at which the search begins, has several answers.
"""

from collections.abc import Callable, Iterator
from functools import partial

from attrs import frozen

from model.go.errors import GoError
from model.scheduler.framework.fit_error import fit_error
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.candidates import CandidateRules, select_candidate
from model.scheduler.preemption.dry_run import DryRun, DryRunRules, dry_run, dry_runs_in_any_order
from model.scheduler.preemption.node_resources_fit import FitRules
from model.scheduler.preemption.node_statuses import NodeStatusRules, NodeToStatus
from model.scheduler.preemption.objects import Budgets, Pods, PreemptionNode, PreemptionPod, RunFilters
from model.scheduler.preemption.victims import VictimRules, select_victims_on_node

# --- What preemption answers where no pod is deleted: a status, and the reason


def says_nothing(reason: str) -> Status:
    """To 1.18: no error, and no reason."""
    return SUCCESS


def says_unschedulable(reason: str) -> Status:
    """1.19 and 1.20 for every reason; to 1.23 for a pod that may not preempt."""
    return Status(Code.UNSCHEDULABLE)


def says_why(reason: str) -> Status:
    """1.21 to 1.23, of a pod that no node has a candidate for."""
    return Status(Code.UNSCHEDULABLE, (reason,))


def says_why_preemption_failed(reason: str) -> Status:
    """1.24 on."""
    return Status(Code.UNSCHEDULABLE, (f"preemption: {reason}",))


def none_to_schedule_pods() -> str:
    """To 1.20: the error of a preemption without nodes."""
    return "no nodes available to schedule pods"


def none_available() -> str:
    """1.21 on."""
    return "no nodes available"


CLEAR = ""


@frozen
class Preempted:
    """An answer of preemption."""

    status: Status
    # The nominated node; `CLEAR`: the pod's nomination is taken back; None: the nomination stays as it is.
    nominated: str | None = None
    # The names of the pods to be deleted, in order.
    victims: tuple[str, ...] = ()


@frozen
class MinCandidates:
    """The plugin's arguments: how many candidates are enough."""

    # minCandidateNodesPercentage, of the nodes that may help.
    percentage: int = 10
    # minCandidateNodesAbsolute.
    absolute: int = 100

    def number(self, nodes: int) -> int:
        """Go: `calculateNumCandidates`."""
        return min(nodes, max(nodes * self.percentage // 100, self.absolute))


NOT_HELPFUL = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("Preemption is not helpful for scheduling",))


def any_terminating_pod(pod: PreemptionPod) -> bool:
    """To 1.26."""
    return pod.terminating


def terminating_by_preemption(pod: PreemptionPod) -> bool:
    """1.27 on (#114623): only a pod that a preemption deletes, by the condition that the scheduler sets."""
    return pod.terminating and pod.disruption_target


def helps_unless_unresolvable(status: Status | None) -> bool:
    """Whether preemption might help on a node with this status: also where the pod fits as it is."""
    return status is None or status.code is not Code.UNSCHEDULABLE_AND_UNRESOLVABLE


def helps_if_unschedulable(status: Status | None) -> bool:
    """Only where the filters said Unschedulable."""
    return status is not None and status.code is Code.UNSCHEDULABLE


def all_at_once(nodes: int, enough: MinCandidates) -> tuple[range, int]:
    """To 1.19: every node that may help is looked at."""
    return range(1), nodes


def from_a_random_node(nodes: int, enough: MinCandidates) -> tuple[range, int]:
    """1.20 on (#94814): from a random node on, until there are enough candidates."""
    return range(nodes), enough.number(nodes)


def extenders_are_known() -> bool:
    """Whether extenders with the verb Preempt are asked."""
    return True


def extenders_are_not_known() -> bool:
    """1.19 on, to 1.20.9 and 1.21.3: the framework has no extenders, as nobody calls `WithExtenders` (#102971)."""
    return False


@frozen(slots=False, kw_only=True)
class PreemptRules:
    """What releases do differently over all nodes."""

    # Whether extenders with the verb Preempt are asked.
    asks_extenders_to_preempt: Callable[[], bool]
    # The error where there are no nodes at all.
    no_nodes: Callable[[], str]
    # Whether a terminating pod of lower priority on the nominated node keeps the pod from preempting again.
    terminating_pod_counts: Callable[[PreemptionPod], bool]
    # (the status of a node, None where the pod fits) -> whether preemption might help there.
    preemption_might_help: Callable[[Status | None], bool]
    # (how many nodes may help, the arguments) -> the nodes at which the search may begin, and how many are enough.
    nodes_to_look_at: Callable[[int, MinCandidates], tuple[range, int]]
    # (why the pod may not preempt) -> the answer's status.
    not_eligible: Callable[[str], Status]
    # (`FitError`'s text) -> the answer's status if no node is a candidate.
    no_candidate: Callable[[str], Status]


@frozen(slots=False, kw_only=True)
class PreemptionRules(VictimRules, CandidateRules, PreemptRules, DryRunRules, NodeStatusRules, FitRules):
    """All of preemption. The last two fields are those of `CycleRules`, as is `preempts_with`."""

    # (the victims, in order) -> those that are deleted.
    victims_to_delete: Callable[[Pods], Pods]
    nominate_without_candidate: Callable[[], str | None]
    preempts_again: Callable[[bool], bool]


def why_not_eligible(
    rules: PreemptionRules, preemptor: PreemptionPod, nodes: tuple[PreemptionNode, ...], statuses: NodeToStatus
) -> str | None:
    """Why the pod may not preempt; None: it may (Go: `PodEligibleToPreemptOthers`)."""
    if preemptor.preempts_never:
        return "not eligible due to preemptionPolicy=Never."
    nominated = next((node for node in nodes if node.name == preemptor.nominated_node_name), None)
    if nominated is None:
        return None
    status = statuses.get(nominated.name, rules.status_of_absent_node())
    if rules.preempts_again(_unresolvable(status)):
        return None
    if any(pod.priority < preemptor.priority and rules.terminating_pod_counts(pod) for pod in nominated.pods):
        return "not eligible due to a terminating pod on the nominated node."
    return None


def _unresolvable(status: Status | None) -> bool:
    return status is not None and status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE


@frozen
class Search:
    """What is to be looked at."""

    # The nodes where preemption might help, as the snapshot lists them.
    helped: tuple[PreemptionNode, ...]
    # Of other nodes, why preemption does not help.
    unhelped: dict[str, Status]
    # At which of the nodes the search may begin, and how many candidates are enough.
    offsets: range
    enough: int
    # Whether the nodes are looked at in any order that matters, and not as the snapshot lists them.
    any_order: bool


def where_to_look(
    rules: PreemptionRules,
    preemptor: PreemptionPod,
    nodes: tuple[PreemptionNode, ...],
    statuses: NodeToStatus,
    min_candidates: MinCandidates,
) -> Search | Preempted | GoError:
    """The nodes where preemption might help; or the answer, if the pod may not preempt, or if nothing would help."""
    reason = why_not_eligible(rules, preemptor, nodes, statuses)
    if reason is not None:
        return Preempted(rules.not_eligible(reason))
    if not nodes:
        return GoError(rules.no_nodes())
    helped = tuple(node for node in nodes if rules.preemption_might_help(statuses.get(node.name)))
    # Of a node with another status, such as an error, Go says nothing.
    unhelped = {
        node.name: NOT_HELPFUL
        for node in nodes
        if node not in helped and (node.name not in statuses or _unresolvable(statuses[node.name]))
    }
    if not helped:
        return Preempted(rules.no_candidate(fit_error(len(unhelped), unhelped.values())), CLEAR)
    offsets, enough = rules.nodes_to_look_at(len(helped), min_candidates)
    return Search(helped, unhelped, offsets, enough, enough < len(helped) and rules.looks_in_any_order(len(statuses)))


def look_from(
    rules: PreemptionRules,
    run_filters: RunFilters,
    preemptor: PreemptionPod,
    search: Search,
    offset: int,
    budgets: Budgets,
) -> DryRun:
    """What a search that begins at the node number `offset` finds."""
    look = partial(select_victims_on_node, rules, run_filters, preemptor, budgets=budgets)
    return dry_run(rules, look, search.helped[offset:] + search.helped[:offset], search.enough)


def without_candidate(rules: PreemptionRules, found: DryRun, search: Search) -> Preempted:
    """The answer where no node is a candidate."""
    errors = [status.message for status in found.statuses.values() if status.code is Code.ERROR]
    if errors:
        text = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
        return Preempted(Status(Code.ERROR, (text,)))
    statuses = {**found.statuses, **search.unhelped}
    return Preempted(
        rules.no_candidate(fit_error(len(statuses), statuses.values())), rules.nominate_without_candidate()
    )


def preempt(
    rules: PreemptionRules,
    run_filters: RunFilters,
    preemptor: PreemptionPod,
    nodes: tuple[PreemptionNode, ...],
    statuses: NodeToStatus,
    budgets: Budgets,
    min_candidates: MinCandidates,
) -> tuple[Preempted | GoError, ...]:
    """All that preemption may answer. `nodes`: as the snapshot lists them. No extender takes part."""
    search = where_to_look(rules, preemptor, nodes, statuses, min_candidates)
    if not isinstance(search, Search):
        return (search,)
    if search.any_order:
        look = partial(select_victims_on_node, rules, run_filters, preemptor, budgets=budgets)
        runs = dry_runs_in_any_order(rules, look, search.helped, search.enough)
    else:
        runs = (look_from(rules, run_filters, preemptor, search, offset, budgets) for offset in search.offsets)
    return tuple(dict.fromkeys(answer for found in runs for answer in _answers(rules, found, search)))


def _answers(rules: PreemptionRules, found: DryRun, search: Search) -> Iterator[Preempted | GoError]:
    """What may be decided of the nodes that were looked at."""
    if not found.candidates:
        yield without_candidate(rules, found, search)
        return
    picked = select_candidate(rules, found.candidates)
    if isinstance(picked, GoError):
        yield picked
        return
    for node in picked:
        victims = rules.victims_to_delete(found.candidates[node].pods)
        yield Preempted(SUCCESS, node, tuple(pod.name for pod in victims))
