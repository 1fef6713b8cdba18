"""On which node preemption does the least harm. Pure.

Go: `pickOneNodeForPreemption` in pkg/scheduler/core/generic_scheduler.go (1.19 on
framework/plugins/defaultpreemption/default_preemption.go, 1.23 on framework/preemption/preemption.go). The nodes come
in the order of a Go map, so that among equals any may be taken.
"""

from collections.abc import Callable, Mapping

from attrs import frozen

from model.go.errors import GoError
from model.scheduler.preemption.importance import earliest_start_time
from model.scheduler.preemption.objects import Victims

Candidates = Mapping[str, Victims]
# The nodes that may be chosen, by name; or how Go panics.
Picked = tuple[str, ...] | GoError
_MAX_INT32 = 2**31 - 1
_NO_FIRST = GoError("runtime error: index out of range [0] with length 0", panic=True)


def _highest_priority(victims: Victims) -> int:
    """Go takes the first victim for the most important one (see `victims.as_refused`)."""
    return victims.pods[0].priority


def _sum_of_priorities(victims: Victims) -> int:
    """Each priority is shifted so that it is not negative: fewer pods of the same priority are less harm."""
    return sum(pod.priority + _MAX_INT32 + 1 for pod in victims.pods)


def _number(victims: Victims) -> int:
    return len(victims.pods)


def _runs_since(victims: Victims) -> float:
    """The later, the less harm. A pod that was not started counts from the moment at which Go looks."""
    start = earliest_start_time(victims.pods)
    return float("-inf") if start is None else -start


# The documented criteria after the number of budgets that are violated, in order: the least is taken.
_CRITERIA: tuple[Callable[[Victims], float], ...] = (_highest_priority, _sum_of_priorities, _number)


def _least(candidates: Candidates, nodes: list[str], harm: Callable[[Victims], float]) -> list[str]:
    least = min(harm(candidates[node]) for node in nodes)
    return [node for node in nodes if harm(candidates[node]) == least]


def _after_budgets(
    candidates: Candidates, nodes: list[str], criteria: tuple[Callable[[Victims], float], ...]
) -> Picked:
    """The nodes that the criteria leave, one after the other. They are asked only while more than one is left."""
    for harm in criteria:
        if len(nodes) == 1:
            break
        if not all(candidates[node].pods for node in nodes):
            return _NO_FIRST
        nodes = _least(candidates, nodes, harm)
    return tuple(nodes)


def _fewest_violations(candidates: Candidates) -> list[str]:
    """To 1.26 no node counts with more than MaxInt32 violations. Nothing but an extender says so many."""
    counted = [node for node, victims in candidates.items() if victims.num_pdb_violations <= _MAX_INT32]
    return _least(candidates, counted, lambda victims: victims.num_pdb_violations) if counted else []


def _pick(candidates: Candidates, criteria: tuple[Callable[[Victims], float], ...]) -> Picked:
    nodes = _fewest_violations(candidates)
    return _after_budgets(candidates, nodes, criteria) if nodes else _NO_FIRST


def any_node_without_victims_first(candidates: Candidates) -> Picked:
    """1.13, 1.14: the first node on which nobody has to leave; else by budgets, priorities and number of pods."""
    free = tuple(node for node, victims in candidates.items() if not victims.pods)
    return free or _pick(candidates, _CRITERIA)


def latest_start_time_last(candidates: Candidates) -> Picked:
    """1.15 to 1.18: among what is left, the node whose most important victims run the shortest."""
    free = tuple(node for node, victims in candidates.items() if not victims.pods)
    return free or _pick(candidates, (*_CRITERIA, _runs_since))


def no_node_without_victims(candidates: Candidates) -> Picked:
    """1.19 to 1.26: a node without victims is no exception, and Go panics if such a node is not alone."""
    return _pick(candidates, (*_CRITERIA, _runs_since))


def by_score_functions(candidates: Candidates) -> Picked:
    """1.27 on: the same criteria, also for more than MaxInt32 violations."""
    nodes = _least(candidates, list(candidates), lambda victims: victims.num_pdb_violations)
    return _after_budgets(candidates, nodes, (*_CRITERIA, _runs_since))


@frozen(slots=False, kw_only=True)
class CandidateRules:
    """What releases do differently when they choose among nodes."""

    # (one candidate or more) -> those that may be chosen.
    pick_one_node: Callable[[Candidates], Picked]
    # Whether a single candidate is taken without a look at its victims (1.19 on).
    takes_a_single_candidate: Callable[[], bool]


def looks_at_a_single_candidate() -> bool:
    """To 1.18."""
    return False


def takes_a_single_candidate() -> bool:
    """1.19 on (Go: `SelectCandidate`)."""
    return True


def select_candidate(rules: CandidateRules, candidates: Candidates) -> Picked:
    """The nodes that may be chosen; () if there is no candidate."""
    if not candidates:
        return ()
    if len(candidates) == 1 and rules.takes_a_single_candidate():
        return tuple(candidates)
    return rules.pick_one_node(candidates)
