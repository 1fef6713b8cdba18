"""Preemption tried on one node after the other, without a change of anything. Pure.

Go: `dryRunPreemption` in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.23 on
`DryRunPreemption` in framework/preemption/preemption.go); to 1.18 `selectNodesForPreemption` in
core/generic_scheduler.go.
"""

from collections.abc import Callable, Iterator
from itertools import combinations

from attrs import frozen

from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PreemptionNode, Victims


def no_context_of_its_own(cancelled: bool) -> int:
    """To 1.19: nobody can stop the search, so there is no context. Later: `defer cancel()` (#111773)."""
    return 0


def context_stays_unless_cancelled(cancelled: bool) -> int:
    """1.20 on: the context of the search stays with its parent, which lives as long as the scheduler."""
    return 0 if cancelled else 1


@frozen(slots=False, kw_only=True)
class DryRunRules:
    """What releases do differently when they look at nodes."""

    # (number of victims) -> whether a node with that many victims is a candidate; see `CycleRules`.
    preempts_with: Callable[[int], bool]
    # (whether enough candidates were found, so that the search was stopped) -> how many contexts the search leaves.
    contexts_left: Callable[[bool], int]


@frozen
class DryRun:
    """What was found on the nodes that were looked at (Go: `DryRunPreemption`)."""

    # The node of each candidate -> its victims. Those that violate no budget stand first.
    candidates: dict[str, Victims]
    # The node of each other -> why it is no candidate.
    statuses: dict[str, Status]
    # How many contexts are left when the search has ended.
    contexts_left: int


def dry_run(
    rules: DryRunRules,
    look: Callable[[PreemptionNode], Victims | Status],
    nodes: tuple[PreemptionNode, ...],
    enough: int,
) -> DryRun:
    """Looks at `nodes` in order, until one candidate violates no budget and there are `enough` of both kinds."""
    kind: dict[bool, dict[str, Victims]] = {False: {}, True: {}}
    statuses: dict[str, Status] = {}
    cancelled = False
    for node in nodes:
        found = _looked_at(rules, look, node)
        if isinstance(found, Status):
            statuses[node.name] = found
            continue
        same = kind[found.num_pdb_violations > 0]
        if len(same) < enough:
            same[node.name] = found
        if kind[False] and len(kind[False]) + len(kind[True]) >= enough:
            cancelled = True
            break
    return DryRun(kind[False] | kind[True], statuses, rules.contexts_left(cancelled))


def dry_runs_in_any_order(
    rules: DryRunRules,
    look: Callable[[PreemptionNode], Victims | Status],
    nodes: tuple[PreemptionNode, ...],
    enough: int,
) -> Iterator[DryRun]:
    """All that a search may find that looks at `nodes` in any order, until there are `enough` candidates.

    What is found on a node depends on no other node. So the candidates that may be kept are listed, and not the orders.
    """
    kind: dict[bool, dict[str, Victims]] = {False: {}, True: {}}
    statuses: dict[str, Status] = {}
    for node in nodes:
        found = _looked_at(rules, look, node)
        if isinstance(found, Status):
            statuses[node.name] = found
        else:
            kind[found.num_pdb_violations > 0][node.name] = found
    good, bad = kind[False], kind[True]
    for of_good, of_bad in _numbers_kept(len(good), len(bad), enough):
        for chosen in combinations(good, of_good):
            for violating in combinations(bad, of_bad):
                candidates = {node: (good | bad)[node] for node in (*chosen, *violating)}
                yield DryRun(candidates, statuses, rules.contexts_left(bool(good) and len(candidates) >= enough))


def _numbers_kept(good: int, bad: int, enough: int) -> list[tuple[int, int]]:
    """How many candidates of both kinds may be kept, of `good` that violate no budget and `bad` that violate one."""
    if not good:
        return [(0, min(bad, enough))]
    if good + bad < enough:
        return [(good, bad)]
    numbers = [(kept, enough - kept) for kept in range(1, min(good, enough) + 1) if enough - kept <= bad]
    # All of `enough` nodes violate a budget: then the search goes on to the first node that violates none.
    return [*numbers, (1, enough)] if bad >= enough else numbers


def _looked_at(
    rules: DryRunRules, look: Callable[[PreemptionNode], Victims | Status], node: PreemptionNode
) -> Victims | Status:
    found = look(node)
    if isinstance(found, Victims) and not rules.preempts_with(len(found.pods)):
        return Status(Code.ERROR, (f'expected at least one victim pod on node "{node.name}"',))
    return found
