"""Is the choice of victims "the least sacrifice"? Four readings of that, each held against every other choice.

Go: the comments of `selectVictimsOnNode` and `pickOneNodeForPreemption`. A case is one node with its pods, or several
nodes. `grid` has every case of a small world, smallest first, so that the first that refutes a reading is a smallest.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement, product

from attrs import frozen

from model.objects import NAMESPACE
from model.scheduler.framework.status import Status
from model.scheduler.preemption.importance import earliest_start_time
from model.scheduler.preemption.node_resources_fit import fits_request
from model.scheduler.preemption.objects import (
    Budgets,
    PodDisruptionBudget,
    Pods,
    PreemptionNode,
    PreemptionPod,
    RunFilters,
    Victims,
)
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.preemption.victims import select_victims_on_node
from properties.components.claim import ComponentClaim

PROTECTED = (("app", "protected"),)


@frozen
class Case:
    """A preemptor, the nodes it might go to, and the budgets."""

    preemptor: PreemptionPod
    nodes: tuple[PreemptionNode, ...]
    budgets: Budgets
    run_filters: RunFilters = fits_request


def sufficing(case: Case, node: PreemptionNode) -> list[Pods]:
    """Every set of pods of lower priority without which the preemptor fits on the node, the smaller sets first."""
    lower = [pod for pod in node.pods if pod.priority < case.preemptor.priority]
    found = []
    for number in range(len(lower) + 1):
        for going in combinations(lower, number):
            left = node
            for pod in going:
                left = left.without_pod(pod)
            if case.run_filters(case.preemptor, left).ok:
                found.append(going)
    return found


def violations(case: Case, victims: Pods) -> int:
    """How many evictions the budgets do not allow, whatever the order of the victims."""
    found = 0
    for budget in case.budgets:
        counted = sum(budget.matches(pod) and pod.name not in budget.disrupted_pods for pod in victims)
        found += max(0, counted - max(0, budget.disruptions_allowed))
    return found


def highest_priority(victims: Pods) -> float:
    """Of no victims: less than any priority."""
    return max((pod.priority for pod in victims), default=float("-inf"))


@frozen
class Choice:
    """The victims that were chosen on a node, beside all sets of pods that would have done."""

    case: Case
    node: PreemptionNode
    victims: Pods
    others: list[Pods]


def _nothing_can_be_added_back(choice: Choice) -> bool:
    left = choice.node
    for pod in choice.victims:
        left = left.without_pod(pod)
    case = choice.case
    return not any(case.run_filters(case.preemptor, left.with_pod(pod)).ok for pod in choice.victims)


def _least(measure: Callable[[Case, Pods], float]) -> Callable[[Choice], bool]:
    def holds(choice: Choice) -> bool:
        least = min(measure(choice.case, going) for going in choice.others)
        return measure(choice.case, choice.victims) == least

    return holds


def chosen_on(rules: PreemptionRules, case: Case) -> Choice | None:
    """What is chosen on the only node of a case; None: the node is no candidate."""
    (node,) = case.nodes
    found = select_victims_on_node(rules, case.run_filters, case.preemptor, node, case.budgets)
    if isinstance(found, Status):
        return None
    return Choice(case, node, found.pods, sufficing(case, node))


def harm(victims: Victims) -> tuple[float, ...]:
    """The documented criteria in their order, of the victims as they are and not as the list has them sorted."""
    start = earliest_start_time(victims.pods) if victims.pods else None
    return (
        victims.num_pdb_violations,
        highest_priority(victims.pods),
        sum(pod.priority + 2**31 for pod in victims.pods),
        len(victims.pods),
        float("-inf") if start is None else -start,
    )


# What a pod of the grid may be: priority, CPU, whether a budget protects it, start time.
_KINDS = tuple(product((0, 1), (1, 2), (False, True), (1, 2)))


def _pods(kinds: Sequence[tuple[int, int, bool, int]], node: str) -> Pods:
    return tuple(
        PreemptionPod(f"{node}{at}", priority, cpu, PROTECTED if protected else (), start)
        for at, (priority, cpu, protected, start) in enumerate(kinds, start=1)
    )


def _full(name: str, kinds: Sequence[tuple[int, int, bool, int]]) -> PreemptionNode:
    """A node without room."""
    pods = _pods(kinds, name)
    return PreemptionNode(name, sum(pod.cpu_milli for pod in pods), len(pods) + 1, pods)


def _budgets(kinds: Sequence[tuple[int, int, bool, int]]) -> Iterator[Budgets]:
    """One budget for all protected pods, with nothing left or with room for one; none if there is no such pod."""
    if not any(protected for _, _, protected, _ in kinds):
        yield ()
        return
    for allowed in (0, 1):
        yield (PodDisruptionBudget("b", NAMESPACE, PROTECTED, allowed),)


def grid(pods: int, nodes: int = 1) -> Iterator[Case]:
    """Every case of one or two full nodes of up to so many pods each, and a preemptor that asks for 1 to 3 CPUs.

    Fewer pods first.
    """
    one = [kinds for number in range(1, pods + 1) for kinds in combinations_with_replacement(_KINDS, number)]
    for some in sorted(combinations_with_replacement(one, nodes), key=lambda some: sum(map(len, some))):
        for budgets in _budgets([kind for kinds in some for kind in kinds]):
            for cpu in (1, 2, 3):
                full = tuple(map(_full, "nm", some))
                yield Case(PreemptionPod("preemptor", 2, cpu), full, budgets)


def _choices(rules: PreemptionRules) -> Iterator[Choice]:
    """Of nodes with up to three pods, where the node is a candidate."""
    return (choice for case in grid(3) if (choice := chosen_on(rules, case)) is not None)


def _reading(name: str, sentence: str, holds: Callable[[Choice], bool]) -> ComponentClaim[PreemptionRules, Choice]:
    def wrong(rules: PreemptionRules, choice: Choice) -> str | None:
        return None if holds(choice) else f"the victims are {', '.join(pod.name for pod in choice.victims)}"

    return ComponentClaim(name, sentence, _choices, wrong, lambda rules: "full nodes of up to three pods")


READINGS = (
    _reading("nothing-can-be-added-back", "No victim could stay, if the others go.", _nothing_can_be_added_back),
    _reading("fewest-victims", "No smaller number of pods would do.", _least(lambda case, victims: len(victims))),
    _reading("lowest-highest-priority", "No other choice has a less important most important victim.",
             _least(lambda case, victims: highest_priority(victims))),
    _reading("fewest-violations", "No other choice breaks fewer disruption budgets.", _least(violations)),
)  # fmt: skip


@frozen
class Tally:
    """How often a reading is kept on a grid, and a smallest case that refutes it."""

    # Cases in which the node is a candidate.
    cases: int
    kept: int
    first: Choice | None


def tally(rules: PreemptionRules, cases: Iterator[Case]) -> dict[str, Tally]:
    """Goes through all cases once. The name of each reading -> what was found."""
    number = 0
    broken: dict[str, list[Choice]] = {reading.name: [] for reading in READINGS}
    for case in cases:
        choice = chosen_on(rules, case)
        if choice is None:
            continue
        number += 1
        for reading in READINGS:
            if reading.wrong(rules, choice) is not None:
                broken[reading.name].append(choice)
    return {name: Tally(number, number - len(found), found[0] if found else None) for name, found in broken.items()}
