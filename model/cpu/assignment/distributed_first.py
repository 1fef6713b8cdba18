"""takeByTopologyNUMADistributed as 1.23.0 brought it: wrong in its scores, its accounts and its choice of remainders.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go, 1.23.0 (#105631). Balance scores are sums of floats in the order of a
Go map and not rounded, so equal balances may compare either way (#106571); `outcomes_of_score_order` gives all results.
"""

import math
from collections.abc import Callable
from functools import lru_cache

from model.cpu.assignment.accumulator import CPUAccumulator, Strategy, Taken
from model.cpu.assignment.distributed import Split, accounted, enough_in, take_equal_parts, take_group
from model.cpu.assignment.packed import NOT_ENOUGH, levels_of, sort_available_numa_nodes, take_by_topology_numa_packed
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.go.slices import GoSlice, iterate_combinations

Scores = Callable[[tuple[int, ...]], frozenset[float]]
"""The scores that `standardDeviation` may give for the free CPUs of some NUMA nodes."""

NONE = GoSlice()
Best = tuple[float, GoSlice, GoSlice]
"""The lowest score yet, with its combination and remainder."""


def _squares(xs: tuple[int, ...]) -> tuple[float, list[float]]:
    """The sum of squares that all orders begin with, and the terms that follow in any order.

    `Values` appends to a list that has as many zeros in front as there are values.
    """
    mean = sum(xs) / (2 * len(xs))
    start = 0.0
    for _ in xs:
        start += mean * mean
    return start, [(x - mean) * (x - mean) for x in xs]


def score_in_order(xs: tuple[int, ...]) -> frozenset[float]:
    """`standardDeviation` when the map's order is that of `xs`."""
    total, terms = _squares(xs)
    for term in terms:
        total += term
    return frozenset({math.sqrt(total / (2 * len(xs)))})


@lru_cache(maxsize=65536)
def scores_in_any_order(xs: tuple[int, ...]) -> frozenset[float]:
    """`standardDeviation` for each order of the map."""
    start, terms = _squares(xs)
    partial: dict[tuple[float, ...], set[float]] = {tuple(sorted(terms)): {start}}
    for _ in terms:
        longer: dict[tuple[float, ...], set[float]] = {}
        for rest, totals in partial.items():
            for i, term in enumerate(rest):
                longer.setdefault(rest[:i] + rest[i + 1 :], set()).update(total + term for total in totals)
        partial = longer
    return frozenset(math.sqrt(total / (2 * len(xs))) for total in partial[()])


def range_numa_nodes_needed_to_satisfy(acc: CPUAccumulator, group_size: int) -> tuple[int, int]:
    """The fewest and most NUMA nodes to try; the fewest may be too many, as it counts what is available now."""
    num_nodes = len(acc.details.numa_nodes())
    available_groups = (len(acc.details.cpus) - 1) // group_size + 1
    per_node = (available_groups - 1) // num_nodes + 1
    needed = (acc.num_cpus_needed - 1) // group_size + 1
    return (needed - 1) // per_node + 1, min(needed, num_nodes)


def _lower(best: set[Best], challengers: set[Best]) -> set[Best]:
    """For each best so far and each challenger the one with the lower score; the older one of equals."""
    return {new if new[0] < old[0] else old for old in best for new in challengers}


def _best_remainders(after: dict[int, int], combo: GoSlice, groups: int, group_size: int, scores: Scores) -> set[Best]:
    """Which subsets of `combo` may score best when each of their nodes gives one group."""
    best: set[Best] = {(math.inf, combo, NONE)}
    for subset in iterate_combinations(combo.now(), groups):
        left = dict(after)
        for numa in subset.now():
            left[numa] -= group_size
        best = _lower(best, {(score, combo, subset) for score in scores(tuple(left.values()))})
    return best


def best_splits(
    acc: CPUAccumulator, numas: list[int], k: int, num_cpus: int, group_size: int, scores: Scores
) -> set[Split | None]:
    """Each split that may have the lowest score among combinations of `k` nodes: one for each way scores come out."""
    best: set[Best] = {(math.inf, NONE, NONE)}
    settled: set[Split | None] = set()
    for combo in iterate_combinations(numas, k):
        # A score of 0 ends the search after this combination was built, over whatever was kept.
        settled |= {Split(kept.now(), remainder.now()) for score, kept, remainder in best if score == 0}
        best = {b for b in best if b[0] != 0}
        distribution = enough_in(acc, combo.now(), num_cpus, group_size)
        if distribution is None:
            continue
        after = {numa: len(acc.details.cpus_in_numa_nodes(numa)) - distribution for numa in combo.now()}
        remainder = num_cpus - distribution * k
        if remainder > 0:
            local = _best_remainders(after, combo, remainder // group_size, group_size, scores)
        else:
            local = {(score, combo, NONE) for score in scores(tuple(after.values()))}
        best = _lower(best, local)
    ends = {Split(kept.now(), remainder.now()) if kept.length else None for _, kept, remainder in best}
    return settled | ends


def _take_split(acc: CPUAccumulator, split: Split, num_cpus: int, group_size: int) -> Taken:
    packed = take_by_topology_numa_packed
    acc = take_equal_parts(acc, split, num_cpus, group_size, "packed", packed)
    # The remainder's nodes give one group each, whether or not that is all of it.
    for numa in split.remainder:
        acc = take_group(acc, numa, group_size, "packed", packed)
    return accounted(acc)


def _distribute(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, scores: Scores
) -> frozenset[Taken]:
    acc = CPUAccumulator.of(topo, available, num_cpus)
    if acc.is_satisfied():
        return frozenset({acc.result})
    if acc.is_failed():
        return frozenset({GoError(NOT_ENOUGH)})
    numas = sort_available_numa_nodes(acc, levels_of(topo))
    fewest, most = range_numa_nodes_needed_to_satisfy(acc, group_size)
    for k in range(fewest, most + 1):
        # Scores decide between combinations, never whether there is one: all splits are one or none is.
        splits = [split for split in best_splits(acc, numas, k, num_cpus, group_size, scores) if split is not None]
        if splits:
            return frozenset(_take_split(acc, split, num_cpus, group_size) for split in splits)
    return frozenset({take_by_topology_numa_packed(topo, available, num_cpus)})


def take_by_topology_numa_distributed_first(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMADistributed` (1.23.0) when maps are walked in the order they were filled.

    `group_size` >= 1; `strategy` means nothing. `outcomes_of_score_order` gives what any order leads to.
    """
    (taken,) = _distribute(topo, available, num_cpus, group_size, score_in_order)
    return taken


def outcomes_of_score_order(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, strategy: Strategy = "packed"
) -> tuple[Taken, ...]:
    """Each outcome of `take_by_topology_numa_distributed_first`, no two equal; the first is that function's own.

    The time grows with the orders of the NUMA nodes that can hold different numbers of free CPUs: seconds at 8.
    """
    first = take_by_topology_numa_distributed_first(topo, available, num_cpus, group_size)
    others = _distribute(topo, available, num_cpus, group_size, scores_in_any_order) - {first}
    return (first, *sorted(others, key=_in_order))


def _in_order(taken: Taken) -> tuple[list[int], str]:
    return (sorted(taken), "") if isinstance(taken, frozenset) else ([], repr(taken))
