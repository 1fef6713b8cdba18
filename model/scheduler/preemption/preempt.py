"""Preemption over all nodes: may the pod preempt, on which nodes could that help, and what is decided. Pure.

Go: `Preempt` in pkg/scheduler/core/generic_scheduler.go (to 1.18), framework/plugins/defaultpreemption (1.19 on) and
framework/preemption/preemption.go (1.23 on). One worker looks at the nodes, as in the recordings. What depends on the
order of a Go map, or on the random node at which the search begins, has several answers.
"""

from collections.abc import Callable, Iterator, Mapping

from attrs import frozen

from model.go.errors import GoError
from model.scheduler.framework.fit_error import fit_error
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.candidates import CandidateRules, select_candidate
from model.scheduler.preemption.objects import Budgets, PreemptionNode, PreemptionPod, RunFilters, Victims
from model.scheduler.preemption.victims import VictimRules, select_victims_on_node

# Of each node that has one the status of the filters. A node on which the pod fits has none.
NodeToStatus = Mapping[str, Status]
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


@frozen(slots=False, kw_only=True)
class PreemptRules:
    """What releases do differently over all nodes."""

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
class PreemptionRules(VictimRules, CandidateRules, PreemptRules):
    """All of preemption. The last three fields are those of `CycleRules`."""

    nominate_without_candidate: Callable[[], str | None]
    preempts_with: Callable[[int], bool]
    preempts_again: Callable[[bool], bool]


def why_not_eligible(
    rules: PreemptionRules, preemptor: PreemptionPod, nodes: tuple[PreemptionNode, ...], statuses: NodeToStatus
) -> str | None:
    """Why the pod may not preempt; None: it may (Go: `PodEligibleToPreemptOthers`)."""
    if preemptor.preempts_never:
        return "not eligible due to preemptionPolicy=Never."
    nominated = next((node for node in nodes if node.name == preemptor.nominated_node_name), None)
    if nominated is None or rules.preempts_again(_unresolvable(statuses.get(nominated.name))):
        return None
    if any(pod.priority < preemptor.priority and rules.terminating_pod_counts(pod) for pod in nominated.pods):
        return "not eligible due to a terminating pod on the nominated node."
    return None


def _unresolvable(status: Status | None) -> bool:
    return status is not None and status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE


@frozen
class DryRun:
    """What was found on the nodes that were looked at (Go: `DryRunPreemption`)."""

    # The node of each candidate -> its victims. Those that violate no budget stand first.
    candidates: dict[str, Victims]
    # The node of each other -> why it is no candidate.
    statuses: dict[str, Status]


def dry_run(
    rules: PreemptionRules,
    look: Callable[[PreemptionNode], Victims | Status],
    nodes: tuple[PreemptionNode, ...],
    enough: int,
) -> DryRun:
    """Looks at `nodes` in order, until one candidate violates no budget and there are `enough` of both kinds."""
    kind: dict[bool, dict[str, Victims]] = {False: {}, True: {}}
    statuses: dict[str, Status] = {}
    for node in nodes:
        found = look(node)
        if isinstance(found, Victims) and not rules.preempts_with(len(found.pods)):
            found = Status(Code.ERROR, (f'expected at least one victim pod on node "{node.name}"',))
        if isinstance(found, Status):
            statuses[node.name] = found
            continue
        same = kind[found.num_pdb_violations > 0]
        if len(same) < enough:
            same[node.name] = found
        if kind[False] and len(kind[False]) + len(kind[True]) >= enough:
            break
    return DryRun(kind[False] | kind[True], statuses)


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
    reason = why_not_eligible(rules, preemptor, nodes, statuses)
    if reason is not None:
        return (Preempted(rules.not_eligible(reason)),)
    if not nodes:
        return (GoError(rules.no_nodes()),)
    helped = tuple(node for node in nodes if rules.preemption_might_help(statuses.get(node.name)))
    # Of a node with another status, such as an error, Go says nothing.
    unhelped = {
        node.name: NOT_HELPFUL
        for node in nodes
        if node not in helped and (node.name not in statuses or _unresolvable(statuses[node.name]))
    }
    if not helped:
        return (Preempted(rules.no_candidate(fit_error(len(unhelped), unhelped.values())), CLEAR),)

    def look(node: PreemptionNode) -> Victims | Status:
        return select_victims_on_node(rules, run_filters, preemptor, node, budgets)

    offsets, enough = rules.nodes_to_look_at(len(helped), min_candidates)
    answers: dict[Preempted | GoError, None] = {}
    for offset in offsets:
        found = dry_run(rules, look, helped[offset:] + helped[:offset], enough)
        answers.update(dict.fromkeys(_answers(rules, found, unhelped)))
    return tuple(answers)


def _answers(rules: PreemptionRules, found: DryRun, unhelped: NodeToStatus) -> Iterator[Preempted | GoError]:
    """What may be decided of the nodes that were looked at."""
    if not found.candidates:
        errors = [status.message for status in found.statuses.values() if status.code is Code.ERROR]
        if errors:
            text = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
            yield Preempted(Status(Code.ERROR, (text,)))
        else:
            statuses = {**found.statuses, **unhelped}
            yield Preempted(
                rules.no_candidate(fit_error(len(statuses), statuses.values())), rules.nominate_without_candidate()
            )
        return
    picked = select_candidate(rules, found.candidates)
    if isinstance(picked, GoError):
        yield picked
        return
    for node in picked:
        yield Preempted(SUCCESS, node, tuple(pod.name for pod in found.candidates[node].pods))
