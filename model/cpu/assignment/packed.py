"""takeByTopology of 1.22 and takeByTopologyNUMAPacked of 1.23 to 1.31: whole sockets and NUMA nodes, cores, then CPUs.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go, releases 1.22 to 1.31. Its comparisons are true orderings (fewest free
CPUs, then lowest id), so no map order shows. A socket or core counts as free when it has the machine's mean number of
free CPUs, and what is taken then is all its CPUs: on a machine whose cores differ these may be more than are available.
"""

from collections.abc import Callable, Iterable
from typing import Literal

from model.cpu.assignment.accumulator import CPUAccumulator, Strategy, Taken
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology
from model.go.errors import GoError

Levels = Literal["sockets", "numa-first", "sockets-first"]
"""The levels above cores, outermost first: `sockets` alone (1.22), or both, `numaOrSocketsFirst` of 1.23 on."""


def levels_of(topo: CPUTopology) -> Levels:
    """`newCPUAccumulator` (1.23 on): NUMA nodes are outermost unless there are more of them than sockets."""
    return "numa-first" if topo.num_sockets >= topo.num_numa_nodes else "sockets-first"


def sort_by_free(ids: Iterable[int], cpus_in: Callable[[int], CPUSet]) -> list[int]:
    """By the number of free CPUs, then by id (`sort`)."""
    return sorted(ids, key=lambda group: (len(cpus_in(group)), group))


def sort_available_numa_nodes(acc: CPUAccumulator, levels: Levels) -> list[int]:
    """`sortAvailableNUMANodes`. With sockets outermost a node that spans two of them is there twice."""
    free = acc.details
    if levels == "numa-first":
        return sort_by_free(free.numa_nodes(), free.cpus_in_numa_nodes)
    return [
        numa
        for socket in sort_available_sockets(acc, levels)
        for numa in sort_by_free(free.numa_nodes_in_sockets(socket), free.cpus_in_numa_nodes)
    ]


def sort_available_sockets(acc: CPUAccumulator, levels: Levels) -> list[int]:
    """`sortAvailableSockets`. With NUMA nodes outermost a socket that spans two of them is there twice."""
    free = acc.details
    if levels != "numa-first":
        return sort_by_free(free.sockets(), free.cpus_in_sockets)
    return [
        socket
        for numa in sort_available_numa_nodes(acc, levels)
        for socket in sort_by_free(free.sockets_in_numa_nodes(numa), free.cpus_in_sockets)
    ]


def sort_available_cores(acc: CPUAccumulator, levels: Levels) -> list[int]:
    """`sortAvailableCores`: group by group of the innermost level above cores."""
    free = acc.details
    if levels == "sockets-first":
        inner = [free.cores_in_numa_nodes(numa) for numa in sort_available_numa_nodes(acc, levels)]
    else:
        inner = [free.cores_in_sockets(socket) for socket in sort_available_sockets(acc, levels)]
    return [core for cores in inner for core in sort_by_free(cores, free.cpus_in_cores)]


def sort_available_cpus_packed(acc: CPUAccumulator, levels: Levels) -> list[int]:
    """`sortAvailableCPUs`, in 1.31 `sortAvailableCPUsPacked`: core by core."""
    free = acc.details
    return [cpu for core in sort_available_cores(acc, levels) for cpu in sorted(free.cpus_in_cores(core))]


def sort_available_cpus_spread(acc: CPUAccumulator, levels: Levels) -> list[int]:
    """`sortAvailableCPUsSpread` (1.31): by id within each socket, whatever cores they are on."""
    free = acc.details
    return [cpu for socket in sort_available_sockets(acc, levels) for cpu in sorted(free.cpus_in_sockets(socket))]


def take_whole(
    acc: CPUAccumulator, groups: Iterable[int], is_free: Callable[[int], bool], cpus_in: Callable[[int], CPUSet]
) -> CPUAccumulator:
    """Each whole group that is needed and was free at the start. A group that is named twice is taken twice."""
    # Which groups are free is settled before any is taken.
    for group in [group for group in groups if is_free(group)]:
        cpus = cpus_in(group)
        if acc.needs(len(cpus)):
            acc = acc.take(cpus)
    return acc


def take_full_numa_nodes(acc: CPUAccumulator, levels: Levels) -> CPUAccumulator:
    """`takeFullNUMANodes`."""
    nodes = sort_available_numa_nodes(acc, levels)
    return take_whole(acc, nodes, acc.is_numa_node_free, acc.topo.cpu_details.cpus_in_numa_nodes)


def take_full_sockets(acc: CPUAccumulator, levels: Levels) -> CPUAccumulator:
    """`takeFullSockets`."""
    sockets = sort_available_sockets(acc, levels)
    return take_whole(acc, sockets, acc.is_socket_free, acc.topo.cpu_details.cpus_in_sockets)


def take_full_cores(acc: CPUAccumulator, levels: Levels) -> CPUAccumulator:
    """`takeFullCores`."""
    return take_whole(acc, sort_available_cores(acc, levels), acc.is_core_free, acc.topo.cpu_details.cpus_in_cores)


def take_full_groups(acc: CPUAccumulator, levels: Levels) -> CPUAccumulator:
    """Whole sockets and NUMA nodes (`takeFullFirstLevel`, `takeFullSecondLevel`)."""
    match levels:
        case "sockets":
            return take_full_sockets(acc, levels)
        case "numa-first":
            acc = take_full_numa_nodes(acc, levels)
            return acc if acc.is_satisfied() else take_full_sockets(acc, levels)
        case "sockets-first":
            acc = take_full_sockets(acc, levels)
            return acc if acc.is_satisfied() else take_full_numa_nodes(acc, levels)


def _take_packed(
    topo: CPUTopology, available: CPUSet, num_cpus: int, levels: Levels, not_enough: str, strategy: Strategy
) -> Taken:
    acc = CPUAccumulator.of(topo, available, num_cpus)
    if acc.is_satisfied():
        return acc.result
    if acc.is_failed():
        return GoError(not_enough)
    acc = take_full_groups(acc, levels)
    if acc.is_satisfied():
        return acc.result
    if strategy == "spread":
        return acc.take_one_by_one(sort_available_cpus_spread(acc, levels))
    acc = take_full_cores(acc, levels)
    if acc.is_satisfied():
        return acc.result
    return acc.take_one_by_one(sort_available_cpus_packed(acc, levels))


NOT_ENOUGH = "not enough cpus available to satisfy request"


def not_enough_counted(available: CPUSet, num_cpus: int) -> str:
    """The error text of 1.29 on."""
    return f"{NOT_ENOUGH}: requested={num_cpus}, available={len(available)}"


def take_by_topology_ordered(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopology` (1.22, #102014): whole sockets, whole cores, CPUs. `strategy` means nothing."""
    return _take_packed(topo, available, num_cpus, "sockets", NOT_ENOUGH, "packed")


def take_by_topology_numa_packed(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMAPacked` (1.23 to 1.28, #102015): whole NUMA nodes too. `strategy` means nothing."""
    return _take_packed(topo, available, num_cpus, levels_of(topo), NOT_ENOUGH, "packed")


def take_by_topology_numa_packed_counted(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMAPacked` (1.29, 1.30): the error says how many. `strategy` means nothing."""
    return _take_packed(topo, available, num_cpus, levels_of(topo), not_enough_counted(available, num_cpus), "packed")


def take_by_topology_numa_packed_or_spread(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopologyNUMAPacked` (1.31, #123733): with strategy `spread` no whole cores, and CPUs by id."""
    return _take_packed(topo, available, num_cpus, levels_of(topo), not_enough_counted(available, num_cpus), strategy)
