"""takeByTopologyNUMADistributed of 1.23.1 to 1.31: the CPUs in equal parts from as few NUMA nodes as can give them.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go, 1.24 to 1.31, and 1.23 from #106953 on. Two accidents of it are kept:
combinations of NUMA nodes that were chosen are overwritten by later ones (model/go/slices.py), and the loops over a
remainder may go on for ever (`Hang`; cured after 1.31, #140730).
"""

import math
from collections.abc import Callable, Sequence

from attrs import frozen

from model.cpu.assignment.accumulator import CPUAccumulator, Hang, Strategy, Taken
from model.cpu.assignment.packed import (
    NOT_ENOUGH,
    levels_of,
    not_enough_counted,
    sort_available_numa_nodes,
    take_by_topology_numa_packed,
    take_by_topology_numa_packed_counted,
    take_by_topology_numa_packed_or_spread,
)
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.go.slices import GoSlice, iterate_combinations

TakePacked = Callable[[CPUTopology, CPUSet, int, Strategy], Taken]


@frozen
class Split:
    """The NUMA nodes that give an equal part each, and those that give the remainder, as they are when it is taken."""

    combo: tuple[int, ...]
    remainder: tuple[int, ...]


def round_to_thousandth(x: float) -> float:
    """Go's `math.Round(x*1000) / 1000`: halves go away from zero."""
    x *= 1000
    whole = math.trunc(x)
    if abs(x - whole) >= 0.5:
        whole += 1 if x > 0 else -1
    return whole / 1000


def standard_deviation(xs: Sequence[int]) -> float:
    """`standardDeviation`, from the rounded `mean`, itself rounded; so the order of `xs`, a Go map's, does not show."""
    mean = round_to_thousandth(sum(xs) / len(xs))
    squares = 0.0
    for x in xs:
        squares += (x - mean) * (x - mean)
    return round_to_thousandth(math.sqrt(squares / len(xs)))


def _groups(cpus: int, group_size: int) -> int:
    return (cpus - 1) // group_size + 1


def range_numa_nodes_needed_to_satisfy(acc: CPUAccumulator, group_size: int) -> tuple[int, int]:
    """The fewest and most NUMA nodes to try (`rangeNUMANodesNeededToSatisfy`); assumes nodes of equal size."""
    num_nodes = len(acc.topo.cpu_details.numa_nodes())
    per_node = _groups(_groups(len(acc.topo.cpus), group_size), num_nodes)
    needed = _groups(acc.num_cpus_needed, group_size)
    return _groups(needed, per_node), min(needed, len(acc.details.numa_nodes()))


def enough_in(acc: CPUAccumulator, combo: tuple[int, ...], num_cpus: int, group_size: int) -> int | None:
    """How many CPUs each NUMA node of `combo` gives, or None when they cannot give `num_cpus` in equal parts."""
    if len(acc.details.cpus_in_numa_nodes(*combo)) < num_cpus:
        return None
    free = [len(acc.details.cpus_in_numa_nodes(numa)) for numa in combo]
    if sum(count // group_size for count in free) * group_size < num_cpus:
        return None
    distribution = num_cpus // len(combo) // group_size * group_size
    return distribution if min(free) >= distribution else None


def _after_remainder(
    after: dict[int, int], subset: tuple[int, ...], remainder: int, group_size: int
) -> dict[int, int] | Hang | None:
    """The free CPUs of each node when `subset` has given the remainder too; None when it has not that many."""
    if sum(after[numa] for numa in subset) < remainder:
        return None
    after = dict(after)
    while remainder > 0:
        before = remainder
        for numa in subset:
            if remainder == 0:
                break
            if after[numa] >= group_size:
                after[numa] -= group_size
                remainder -= group_size
        if remainder == before:
            # Enough CPUs in all, but no node has a whole group: the real loop never ends.
            return Hang("scoring a remainder")
    return after


def _best_remainder(
    after: dict[int, int], combo: tuple[int, ...], remainder: int, group_size: int
) -> tuple[float, GoSlice] | Hang:
    """The lowest balance score when subsets of `combo` give the remainder, and that subset."""
    best, best_subset = math.inf, GoSlice()
    candidates = [numa for numa in combo if after[numa] >= group_size]
    for k in range(len(candidates), 0, -1):
        for subset in iterate_combinations(candidates, k):
            left = _after_remainder(after, subset.now(), remainder, group_size)
            if isinstance(left, Hang):
                return left
            if left is not None and (balance := standard_deviation(list(left.values()))) < best:
                best, best_subset = balance, subset
    return best, best_subset


def best_split(acc: CPUAccumulator, numas: list[int], k: int, num_cpus: int, group_size: int) -> Split | Hang | None:
    """The combination of `k` NUMA nodes with the lowest balance score: how evenly what is left lies on all nodes."""
    free = {numa: len(acc.details.cpus_in_numa_nodes(numa)) for numa in numas}
    best, best_combo, best_remainder = math.inf, GoSlice(), GoSlice()
    for combo in iterate_combinations(numas, k):
        if best == 0:
            break
        distribution = enough_in(acc, combo.now(), num_cpus, group_size)
        if distribution is None:
            continue
        after = dict(free)
        for numa in combo.now():
            after[numa] -= distribution
        remainder = num_cpus - distribution * k
        scored: tuple[float, GoSlice] | Hang
        if remainder == 0:
            scored = standard_deviation(list(after.values())), GoSlice()
        else:
            scored = _best_remainder(after, combo.now(), remainder, group_size)
        if isinstance(scored, Hang):
            return scored
        if scored[0] < best:
            (best, best_remainder), best_combo = scored, combo
    return Split(best_combo.now(), best_remainder.now()) if best_combo.length else None


def _take_part(acc: CPUAccumulator, numa: int, count: int, strategy: Strategy, packed: TakePacked) -> CPUAccumulator:
    """`count` CPUs of one NUMA node; an error gives none and goes unseen, as in Go."""
    taken = packed(acc.topo, acc.details.cpus_in_numa_nodes(numa), count, strategy)
    return acc.take(taken) if isinstance(taken, frozenset) else acc


def take_equal_parts(
    acc: CPUAccumulator, split: Split, num_cpus: int, group_size: int, strategy: Strategy, packed: TakePacked
) -> CPUAccumulator:
    """The same number of CPUs, in whole groups, from each NUMA node of the combination."""
    for numa in split.combo:
        acc = _take_part(acc, numa, num_cpus // len(split.combo) // group_size * group_size, strategy, packed)
    return acc


def take_group(
    acc: CPUAccumulator, numa: int, group_size: int, strategy: Strategy, packed: TakePacked
) -> CPUAccumulator:
    """One group from one NUMA node."""
    return _take_part(acc, numa, group_size, strategy, packed)


def accounted(acc: CPUAccumulator) -> Taken:
    """The result, or the error when more or fewer CPUs were taken than needed."""
    if acc.num_cpus_needed > 0:
        return GoError(f"accounting error, not enough CPUs allocated, remaining: {acc.num_cpus_needed}")
    if acc.num_cpus_needed < 0:
        return GoError(f"accounting error, too many CPUs allocated, remaining: {acc.num_cpus_needed}")
    return acc.result


def _take_split(
    acc: CPUAccumulator, split: Split, num_cpus: int, group_size: int, strategy: Strategy, packed: TakePacked
) -> Taken:
    acc = take_equal_parts(acc, split, num_cpus, group_size, strategy, packed)
    remainder = num_cpus - num_cpus // len(split.combo) // group_size * group_size * len(split.combo)
    while remainder > 0:
        before = remainder
        for numa in split.remainder:
            if remainder == 0:
                break
            if len(acc.details.cpus_in_numa_nodes(numa)) < group_size:
                continue
            acc = take_group(acc, numa, group_size, strategy, packed)
            remainder -= group_size
        if remainder == before:
            return Hang("taking a remainder")
    return accounted(acc)


def _distribute(
    topo: CPUTopology,
    available: CPUSet,
    num_cpus: int,
    group_size: int,
    strategy: Strategy,
    packed: TakePacked,
    not_enough: str,
) -> Taken:
    if num_cpus % group_size != 0:
        return packed(topo, available, num_cpus, strategy)
    acc = CPUAccumulator.of(topo, available, num_cpus)
    if acc.is_satisfied():
        return acc.result
    if acc.is_failed():
        return GoError(not_enough)
    numas = sort_available_numa_nodes(acc, levels_of(topo))
    fewest, most = range_numa_nodes_needed_to_satisfy(acc, group_size)
    for k in range(fewest, most + 1):
        split = best_split(acc, numas, k, num_cpus, group_size)
        if isinstance(split, Hang):
            return split
        if split is not None:
            return _take_split(acc, split, num_cpus, group_size, strategy, packed)
    return packed(topo, available, num_cpus, strategy)


def take_by_topology_numa_distributed(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMADistributed` (1.23.1 to 1.28, #106599). `group_size` >= 1; `strategy` means nothing."""
    packed = take_by_topology_numa_packed
    return _distribute(topo, available, num_cpus, group_size, "packed", packed, NOT_ENOUGH)


def take_by_topology_numa_distributed_counted(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMADistributed` (1.29, 1.30, #121059): the error says how many. `strategy` means nothing."""
    packed, not_enough = take_by_topology_numa_packed_counted, not_enough_counted(available, num_cpus)
    return _distribute(topo, available, num_cpus, group_size, "packed", packed, not_enough)


def take_by_topology_numa_distributed_or_spread(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMADistributed` (1.31, #123733): `strategy` orders the CPUs within each NUMA node."""
    packed, not_enough = take_by_topology_numa_packed_or_spread, not_enough_counted(available, num_cpus)
    return _distribute(topo, available, num_cpus, group_size, strategy, packed, not_enough)
