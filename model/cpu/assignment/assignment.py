"""takeByTopology: which CPUs a container gets. The choice of a release, and what else nondeterminism may lead to.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go, releases 1.13 to 1.31. The algorithms are in assignment_chained (1.13
to 1.21), assignment_packed (1.22 on), assignment_distributed (1.23.1 on) and assignment_distributed_first (1.23.0).
"""

from collections.abc import Callable, Mapping

from attrs import frozen

from model.cpu.assignment.accumulator import Hang, Strategy, Taken
from model.cpu.assignment.chained import outcomes_of_map_order, take_by_topology_map_order
from model.cpu.assignment.distributed_first import outcomes_of_score_order, take_by_topology_numa_distributed_first
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology

__all__ = [
    "AssignmentRules",
    "Hang",
    "Strategy",
    "Taken",
    "distribute_unknown",
    "every_distributed",
    "every_take",
]

TakeByTopology = Callable[[CPUTopology, CPUSet, int, Strategy], Taken]
"""(topology, available, number of CPUs, strategy)"""
TakeDistributed = Callable[[CPUTopology, CPUSet, int, int, Strategy], Taken]
"""(topology, available, number of CPUs, CPU group size, strategy)"""


def distribute_unknown(
    topo: CPUTopology, available: CPUSet, num_cpus: int, group_size: int, strategy: Strategy = "packed"
) -> Taken:
    """Up to 1.22 nothing distributes CPUs across NUMA nodes. Raises ValueError: no policy of theirs asks for it."""
    raise ValueError("no release before 1.23.0 distributes CPUs across NUMA nodes")


@frozen(slots=False, kw_only=True)
class AssignmentRules:
    """How a release picks CPUs.

    Where Go leaves the result open, each rule gives one of the outcomes. `every_take` and `every_distributed` give all.
    """

    # The packing algorithm (Go: `takeByTopology`, from 1.23 on `takeByTopologyNUMAPacked`).
    take_by_topology: TakeByTopology
    # The algorithm of the option distribute-cpus-across-numa, from 1.23 on.
    take_by_topology_numa_distributed: TakeDistributed


_EVERY_TAKE: Mapping[TakeByTopology, Callable[[CPUTopology, CPUSet, int, Strategy], tuple[Taken, ...]]] = {
    take_by_topology_map_order: outcomes_of_map_order
}
_EVERY_DISTRIBUTED: Mapping[TakeDistributed, Callable[[CPUTopology, CPUSet, int, int, Strategy], tuple[Taken, ...]]] = {
    take_by_topology_numa_distributed_first: outcomes_of_score_order
}


def every_take(
    rules: AssignmentRules, topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> tuple[Taken, ...]:
    """All that `rules.take_by_topology` may give; first what it does give. One outcome for most releases and fixes."""
    if outcomes := _EVERY_TAKE.get(rules.take_by_topology):
        return outcomes(topo, available, num_cpus, strategy)
    return (rules.take_by_topology(topo, available, num_cpus, strategy),)


def every_distributed(
    rules: AssignmentRules,
    topo: CPUTopology,
    available: CPUSet,
    num_cpus: int,
    group_size: int,
    strategy: Strategy = "packed",
) -> tuple[Taken, ...]:
    """All that `rules.take_by_topology_numa_distributed` may give; first what it does give."""
    if outcomes := _EVERY_DISTRIBUTED.get(rules.take_by_topology_numa_distributed):
        return outcomes(topo, available, num_cpus, group_size, strategy)
    return (rules.take_by_topology_numa_distributed(topo, available, num_cpus, group_size, strategy),)
