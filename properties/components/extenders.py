"""Whatever an extender answers: the nodes get fewer, an error is no misfit, and the scheduler goes on.

Go: `HTTPExtender.Filter` and `ProcessPreemption` in pkg/scheduler/extender.go, and what calls them. A claim is held
against every reply of a small grid, the smallest first. A reply that refutes a claim is a smallest one.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from attrs import frozen

from model.go.errors import GoError
from model.scheduler.extender_preemption import (
    Candidates,
    ExtenderPreemptionRules,
    MetaVictims,
    PreemptReply,
    call_extenders,
)
from model.scheduler.extenders import Extender, find_nodes_that_pass_extenders
from model.scheduler.filtering import FilteringRules, FilterSetup, Found, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Ask, Call, ExtenderCall, Steps, driven
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.http_extender import ExtenderAnswerRules, FilterReply, filtered
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod, Victims
from properties.components.claim import ComponentClaim


@frozen(slots=False, kw_only=True)
class ExtenderRules(ExtenderAnswerRules, ExtenderPreemptionRules, FilteringRules):
    """All that releases do differently with what extenders answer."""


# --- Filter -----------------------------------------------------------------------------------------------------------

# The snapshot has n1, n2 and n3. A plugin refuses n3, so that the extender is asked about n1 and n2.
NODES, ASKED, GONE = ("n1", "n2", "n3"), ("n1", "n2"), "gone"


@frozen
class FilterCase:
    """A reply to Filter, and how the extender is configured."""

    reply: FilterReply
    node_cache_capable: bool
    ignorable: bool


def filter_cases() -> Iterator[FilterCase]:
    """Every reply of the grid."""
    some = [names for number in range(3) for names in combinations((*NODES, GONE), number)]
    replies = [FilterReply(), FilterReply(failed="no answer"), FilterReply(error="boom")]
    replies += [FilterReply(node_names=names) for names in some] + [FilterReply(nodes=names) for names in some]
    for ignorable in (False, True):
        for capable in (True, False):
            for reply in replies:
                yield FilterCase(reply, capable, ignorable)


def found_with(rules: ExtenderRules, case: FilterCase) -> Found:
    """A search for nodes in which the extender replies so."""
    tree = iter(NODES)

    def check(node: str) -> Steps[Status]:
        return answered(SUCCESS if node in ASKED else Status(Code.UNSCHEDULABLE, ("a plugin refuses",)))

    def narrow(nodes: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
        return find_nodes_that_pass_extenders([Extender("e", ignorable=case.ignorable)], nodes, statuses)

    def answer(call: Call) -> Any:
        if isinstance(call, ExtenderCall):
            return filtered(rules, case.node_cache_capable, case.reply, call.nodes, frozenset(NODES))
        # To 1.16: the cache's tree.
        return len(NODES) if call == Ask("number of nodes") else next(tree)

    setup = FilterSetup(rules, 0, None, True, check, narrow)
    return driven(find_nodes_that_fit_pod(setup, NODES, 0, "", None), answer)


def narrows(found: Found, case: FilterCase) -> bool:
    """The pod goes to a node that was sent, or to none."""
    return set(found.feasible) <= set(ASKED)


def error_is_no_misfit(found: Found, case: FilterCase) -> bool:
    """An error of an extender fails the cycle, so that no pod preempts; or, with `ignorable`, changes nothing."""
    if not (case.reply.failed or case.reply.error):
        return True
    return found.feasible == ASKED if case.ignorable else found.error is not None and not found.error.panic


def filter_goes_on(found: Found, case: FilterCase) -> bool:
    """No answer ends the process."""
    return found.error is None or not found.error.panic


# --- Preempt ----------------------------------------------------------------------------------------------------------

# The preemptor has priority 10. Both pods of n1 have to go for it, and are sent. No pod of n2 may go.
PREEMPTOR = 10
_LOW, _LOWER, _HIGH = PreemptionPod("low", 1), PreemptionPod("lower", 0), PreemptionPod("high", 1_000)
PODS = {"n1": PreemptionNode("n1", 2, 110, (_LOW, _LOWER)), "n2": PreemptionNode("n2", 2, 110, (_HIGH,))}
SENT: Candidates = {"n1": Victims((_LOW, _LOWER), 1)}


@frozen
class PreemptCase:
    """A reply to Preempt, and whether the extender is ignorable."""

    reply: PreemptReply
    ignorable: bool


def preempt_cases() -> Iterator[PreemptCase]:
    """Every reply of the grid that speaks of one node or of none."""
    some = [names for number in range(3) for names in combinations(("low", "lower", "high"), number)]
    of_node: list[MetaVictims | None] = [None, *(MetaVictims(names, number) for names in some for number in (1, 0))]
    replies = [PreemptReply(), PreemptReply(failed="no answer")]
    replies += [PreemptReply(victims={node: victims}) for node in (*PODS, GONE) for victims in of_node]
    for ignorable in (False, True):
        for reply in replies:
            yield PreemptCase(reply, ignorable)


def candidates_with(rules: ExtenderRules, case: PreemptCase) -> Candidates | GoError:
    """The candidates that are left when the extender replies so."""
    return call_extenders(rules, [(lambda candidates: case.reply, case.ignorable)], dict(SENT), PODS)


def preempts_where_sent(left: Candidates | GoError, case: PreemptCase) -> bool:
    """A node that is left was sent, and each of its victims is less important than the preemptor."""
    if isinstance(left, GoError):
        return True
    return all(node in SENT and all(pod.priority < PREEMPTOR for pod in victims.pods) for node, victims in left.items())


def victims_suffice(left: Candidates | GoError, case: PreemptCase) -> bool:
    """All pods go that have to go for the preemptor to fit on the node."""
    if isinstance(left, GoError):
        return True
    return all(set(victims.pods) >= set(SENT[node].pods) for node, victims in left.items() if node in SENT)


def keeps_violations(left: Candidates | GoError, case: PreemptCase) -> bool:
    """The number of violated budgets is what the extender says."""
    if isinstance(left, GoError) or left == SENT:
        return True
    said = case.reply.victims or {}
    return all(
        victims.num_pdb_violations == meta.num_pdb_violations
        for node, victims in left.items()
        if (meta := said.get(node)) is not None
    )


def preempt_goes_on(left: Candidates | GoError, case: PreemptCase) -> bool:
    """No answer ends the process."""
    return not (isinstance(left, GoError) and left.panic)


def _of_filter(
    name: str, keeps: Callable[[Found, FilterCase], bool], wrong: Callable[[FilterCase], str]
) -> ComponentClaim[ExtenderRules, FilterCase]:
    return ComponentClaim(
        name,
        keeps.__doc__ or "",
        lambda rules: filter_cases(),
        lambda rules, case: None if keeps(found_with(rules, case), case) else wrong(case),
        _every_reply,
    )


def _of_preempt(
    name: str, keeps: Callable[[Candidates | GoError, PreemptCase], bool], wrong: Callable[[PreemptCase], str]
) -> ComponentClaim[ExtenderRules, PreemptCase]:
    return ComponentClaim(
        name,
        keeps.__doc__ or "",
        lambda rules: preempt_cases(),
        lambda rules, case: None if keeps(candidates_with(rules, case), case) else wrong(case),
        _every_reply,
    )


def _every_reply(rules: ExtenderRules) -> str:
    return "every reply of the grid"


def _victims(case: PreemptCase) -> MetaVictims | None:
    ((_, victims),) = (case.reply.victims or {"": None}).items()
    return victims


def _widened(case: FilterCase) -> str:
    by_name = case.reply.node_names is not None and case.node_cache_capable
    named = (case.reply.node_names if by_name else case.reply.nodes) or ()
    how = "by name" if by_name else "as a whole Node object"
    return f"{how}: the pod may go to a node that {'is not there' if GONE in named else 'a plugin refused'}"


def _foreign(case: PreemptCase) -> str:
    victims = _victims(case)
    return "a more important pod is evicted" if victims and victims.pods else "a node is nominated that was not sent"


def _ended(case: PreemptCase) -> str:
    return f"the scheduler crashes at {'a null' if _victims(case) is None else 'a node that is gone'}"


CLAIMS: tuple[ComponentClaim[ExtenderRules, Any], ...] = (
    _of_filter("filter-narrows", narrows, _widened),
    _of_filter("filter-error-is-no-misfit", error_is_no_misfit, lambda case: "an error is taken for a misfit"),
    _of_filter("filter-goes-on", filter_goes_on, lambda case: "the scheduler crashes"),
    _of_preempt("preempt-narrows", preempts_where_sent, _foreign),
    _of_preempt("victims-suffice", victims_suffice, lambda case: "the pod is nominated where it does not fit"),
    _of_preempt("violations-are-kept", keeps_violations, lambda case: "the number of violations is another one"),
    _of_preempt("preempt-goes-on", preempt_goes_on, _ended),
)


def claim_named(name: str) -> ComponentClaim[ExtenderRules, Any]:
    """The claim of this name."""
    return next(claim for claim in CLAIMS if claim.name == name)


def told(case: FilterCase | PreemptCase) -> str:
    """A case in words."""
    if isinstance(case, FilterCase):
        reply = case.reply
        kind = "with nodeCacheCapable" if case.node_cache_capable else "without nodeCacheCapable"
        if reply.node_names is not None:
            return f"{kind}, names of nodes: {', '.join(reply.node_names) or 'none'}"
        return f"{kind}, whole nodes: {', '.join(reply.nodes or ()) or 'none'}"
    ((node, victims),) = (case.reply.victims or {"": None}).items()
    if victims is None:
        return f"null for the node {node}"
    pods = f"the victims {', '.join(victims.pods) or 'none'} on {node}"
    return pods + (f", violations: {victims.num_pdb_violations}" if victims.num_pdb_violations else "")
