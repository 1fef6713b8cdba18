"""What Go leaves open when a node is chosen: does it change the answer, and only among equals?

Open are the order of the map from which `pickOneNodeForPreemption` takes the nodes, the random node at which the search
begins (1.20 on), and with `--parallelism` the order in which nodes are looked at. Each order of the nodes is tried, and
each beginning. Equals are nodes whose victims harm alike by the documented criteria.
"""

from collections.abc import Iterator
from itertools import permutations

from attrs import frozen

from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PreemptionNode, Victims
from model.scheduler.preemption.preempt import MinCandidates, Preempted, PreemptionRules, preempt
from model.scheduler.preemption.victims import select_victims_on_node
from properties.preemption.least_sacrifice import Case, harm

# A node, and the names of its victims.
Answer = tuple[str, tuple[str, ...]]


def answers(rules: PreemptionRules, case: Case, enough: int, nodes: tuple[PreemptionNode, ...]) -> frozenset[Answer]:
    """All that may be answered if the nodes come in this order, and if so many candidates are enough."""
    statuses = {node.name: Status(Code.UNSCHEDULABLE) for node in nodes}
    found = preempt(rules, case.run_filters, case.preemptor, nodes, statuses, case.budgets, MinCandidates(0, enough))
    return frozenset((each.nominated, each.victims) for each in found if isinstance(each, Preempted) and each.nominated)


def in_any_order(rules: PreemptionRules, case: Case, enough: int) -> tuple[frozenset[Answer], ...]:
    """The answers for each order of the nodes."""
    return tuple(answers(rules, case, enough, order) for order in permutations(case.nodes))


def _harm_of(rules: PreemptionRules, case: Case, answer: Answer) -> tuple[float, ...]:
    (node,) = (each for each in case.nodes if each.name == answer[0])
    found = select_victims_on_node(rules, case.run_filters, case.preemptor, node, case.budgets)
    assert isinstance(found, Victims)
    return harm(found)


@frozen
class Differing:
    """A case in which what Go leaves open changes the answer."""

    case: Case
    # Two answers. The first harms no more than the second.
    one: Answer
    other: Answer


def order_matters(rules: PreemptionRules, cases: Iterator[Case]) -> Case | None:
    """A first case in which the order of the nodes changes what may be answered, although all nodes are looked at."""
    for case in cases:
        if len(set(in_any_order(rules, case, len(case.nodes)))) > 1:
            return case
    return None


def not_among_equals(rules: PreemptionRules, cases: Iterator[Case], enough: int) -> Differing | None:
    """A first case in which two answers do not harm alike, if so many candidates are enough."""
    for case in cases:
        every = sorted(
            frozenset().union(*in_any_order(rules, case, enough)),
            key=lambda answer: (_harm_of(rules, case, answer), answer),
        )
        if every and _harm_of(rules, case, every[0]) != _harm_of(rules, case, every[-1]):
            return Differing(case, every[0], every[-1])
    return None


def first_cut_search(min_candidates: MinCandidates) -> int:
    """The least number of nodes of which a search may leave out some."""
    nodes = 1
    while min_candidates.number(nodes) == nodes:
        nodes += 1
    return nodes
