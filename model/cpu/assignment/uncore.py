"""takeByTopologyNUMAPacked of 1.32 to 1.36: also CPUs of few uncore caches, with prefer-align-cpus-by-uncorecache.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go. An uncore cache is an L3 cache that a part of a NUMA node shares; where
cAdvisor tells of none, the whole socket counts as one. So an uncore cache may lie on several NUMA nodes, and is listed
once for each.
"""

from collections.abc import Callable

from model.cpu.assignment.accumulator import CPUAccumulator, Strategy, Taken
from model.cpu.assignment.packed import (
    Levels,
    levels_of,
    not_enough_counted,
    sort_available_cpus_packed,
    sort_available_cpus_spread,
    sort_available_numa_nodes,
    sort_by_free,
    take_full_cores,
    take_full_groups,
    take_whole,
)
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology
from model.go.errors import GoError

# What is still to be taken and an uncore cache -> the CPUs of that cache which `takePartialUncore` tries.
PartOf = Callable[[CPUAccumulator, int], CPUSet]


def sort_available_uncore_caches(acc: CPUAccumulator, levels: Levels) -> list[int]:
    """`sortAvailableUncoreCaches`: NUMA node by NUMA node, fewest free CPUs first."""
    free = acc.details
    return [
        uncore
        for numa in sort_available_numa_nodes(acc, levels)
        for uncore in sort_by_free(free.uncore_in_numa_nodes(numa), free.cpus_in_uncore_caches)
    ]


def take_full_uncore(acc: CPUAccumulator, levels: Levels) -> CPUAccumulator:
    """`takeFullUncore`."""
    caches = sort_available_uncore_caches(acc, levels)
    return take_whole(acc, caches, acc.is_uncore_cache_free, acc.topo.cpu_details.cpus_in_uncore_caches)


def _cpus_of_cores(acc: CPUAccumulator, num_cores: int, uncore: int) -> CPUSet:
    return acc.details.cpus_in_cores(*acc.details.cores_needed_in_uncore_cache(num_cores, uncore))


def part_of_whole_cores(acc: CPUAccumulator, uncore: int) -> CPUSet:
    """1.32.0 to 1.33.5: the cores needed are rounded down, so an odd number of CPUs never fits where cores have two."""
    return _cpus_of_cores(acc, acc.num_cpus_needed // acc.topo.cpus_per_core(), uncore)


def part_with_odd_cpu(acc: CPUAccumulator, uncore: int) -> CPUSet:
    """From 1.33.6 and 1.34 on (#131850): rounded up, and of an odd number the last CPU of too many is dropped."""
    per_core = acc.topo.cpus_per_core()
    cpus = _cpus_of_cores(acc, -(-acc.num_cpus_needed // per_core), uncore)
    if acc.num_cpus_needed % 2 and per_core > 1 and len(cpus) > acc.num_cpus_needed:
        return cpus - {max(cpus)}
    return cpus


def take_uncore_cache(acc: CPUAccumulator, levels: Levels, part_of: PartOf) -> CPUAccumulator:
    """`takeUncoreCache`: whole uncore caches while so many CPUs are needed, then a part of one with all the rest."""
    for uncore in sort_available_uncore_caches(acc, levels):
        if acc.needs(acc.topo.cpus_per_uncore()):
            acc = take_full_uncore(acc, levels)
        if acc.is_satisfied():
            return acc
        part = part_of(acc, uncore)
        if len(part) == acc.num_cpus_needed:
            return acc.take(part)
    return acc


def _take(topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy, part_of: PartOf) -> Taken:
    levels = levels_of(topo)
    acc = CPUAccumulator.of(topo, available, num_cpus)
    if acc.is_satisfied():
        return acc.result
    if acc.is_failed():
        return GoError(not_enough_counted(available, num_cpus))
    acc = take_full_groups(acc, levels)
    if not acc.is_satisfied() and strategy.endswith("-uncore"):
        acc = take_uncore_cache(acc, levels, part_of)
    if acc.is_satisfied():
        return acc.result
    if strategy.startswith("spread"):
        return acc.take_one_by_one(sort_available_cpus_spread(acc, levels))
    acc = take_full_cores(acc, levels)
    if acc.is_satisfied():
        return acc.result
    return acc.take_one_by_one(sort_available_cpus_packed(acc, levels))


def take_by_topology_uncore_whole_cores(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMAPacked` (1.32.0 to 1.33.5, #126750): before cores, whole uncore caches or a part of one."""
    return _take(topo, available, num_cpus, strategy, part_of_whole_cores)


def take_by_topology_uncore(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMAPacked` (1.33.6 and from 1.34 on, #131850): an odd number of CPUs fits into a cache."""
    return _take(topo, available, num_cpus, strategy, part_with_odd_cpu)


# For whoever asks what another part would give.
take_with_parts = _take
