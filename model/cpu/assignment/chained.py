"""takeByTopology of 1.13 to 1.21, whose comparisons chain their criteria with `||` and so order nothing.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go, releases 1.13 to 1.21. Two elements may each be less than the other;
what comes out depends on the steps of Go's sort and, from 1.15 on, on the order of a Go map.
"""

from functools import lru_cache
from itertools import permutations

from model.cpu.assignment.accumulator import CPUAccumulator, Strategy, Taken
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.go.sort import sort_slice

SocketKey = tuple[int, int]
"""A socket as `freeCores` compares it: (free cores, socket id)."""
CoreKey = tuple[int, int, int, int, int]
"""A core as `freeCPUs` compares it: (CPUs of its socket taken, negated; free CPUs of its socket; free CPUs of the core;
socket; core)."""


def socket_less(i: SocketKey, j: SocketKey) -> bool:
    """The comparison in `freeCores`."""
    return i[0] < j[0] or i[1] < j[1]


def core_less(i: CoreKey, j: CoreKey) -> bool:
    """The comparison in `freeCPUs`."""
    return i[0] < j[0] or i[1] < j[1] or i[2] < j[2] or i[3] < j[3] or i[4] < j[4]


def free_sockets(acc: CPUAccumulator) -> list[int]:
    """Free sockets by ascending id (`freeSockets`)."""
    return [socket for socket in sorted(acc.details.sockets()) if acc.is_socket_free(socket)]


def _free_cores_in(acc: CPUAccumulator, socket: int) -> list[int]:
    return [core for core in sorted(acc.details.cores_in_sockets(socket)) if acc.is_core_free(core)]


def _socket_keys(acc: CPUAccumulator) -> tuple[SocketKey, ...]:
    return tuple((len(_free_cores_in(acc, socket)), socket) for socket in sorted(acc.details.sockets()))


def free_cpus(acc: CPUAccumulator) -> list[int]:
    """All free CPUs, core by core in the order that the sort leaves (`freeCPUs`)."""
    keys: list[CoreKey] = []
    for core in sorted(acc.details.cores()):
        socket = acc.topo.cpu_details[min(acc.topo.cpu_details.cpus_in_cores(core))].socket_id
        colocated = len(acc.topo.cpu_details.cpus_in_sockets(socket) & acc.result)
        in_socket = len(acc.details.cpus_in_sockets(socket))
        keys.append((-colocated, in_socket, len(acc.details.cpus_in_cores(core)), socket, core))
    sort_slice(keys, core_less)
    return [cpu for key in keys for cpu in sorted(acc.details.cpus_in_cores(key[4]))]


def _take_sockets(topo: CPUTopology, available: CPUSet, num_cpus: int) -> CPUAccumulator | Taken:
    """The first part of `takeByTopology`: whole sockets. An accumulator when CPUs are still needed."""
    acc = CPUAccumulator.of(topo, available, num_cpus)
    if acc.is_satisfied():
        return acc.result
    if acc.is_failed():
        return GoError("not enough cpus available to satisfy request")
    for socket in free_sockets(acc):
        if acc.needs(topo.cpus_per_socket()):
            acc = acc.take(acc.details.cpus_in_sockets(socket))
            if acc.is_satisfied():
                return acc.result
    return acc


def _take_cores_and_cpus(acc: CPUAccumulator, sockets: tuple[SocketKey, ...]) -> Taken:
    """The rest of `takeByTopology`: whole cores, socket by socket in this order, then single CPUs."""
    for core in [core for _, socket in sockets for core in _free_cores_in(acc, socket)]:
        if acc.needs(acc.topo.cpus_per_core()):
            acc = acc.take(acc.details.cpus_in_cores(core))
            if acc.is_satisfied():
                return acc.result
    return acc.take_one_by_one(free_cpus(acc))


def take_by_topology_chained(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopology` (1.13, 1.14): the sort of the sockets starts from ascending ids. `strategy` means nothing."""
    acc = _take_sockets(topo, available, num_cpus)
    if not isinstance(acc, CPUAccumulator):
        return acc
    keys = list(_socket_keys(acc))
    sort_slice(keys, socket_less)
    return _take_cores_and_cpus(acc, tuple(keys))


def take_by_topology_map_order(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> Taken:
    """`takeByTopology` (1.15 to 1.21): the sort starts from a Go map's order, here by chance that of ascending ids.

    `outcomes_of_map_order` gives what any order leads to.
    """
    return take_by_topology_chained(topo, available, num_cpus, strategy)


def outcomes_of_map_order(
    topo: CPUTopology, available: CPUSet, num_cpus: int, strategy: Strategy = "packed"
) -> tuple[Taken, ...]:
    """Each outcome of `take_by_topology_map_order`, no two equal; the first is that of ascending ids.

    Raises ValueError when more than 8 sockets have available CPUs (`socket_orders`).
    """
    acc = _take_sockets(topo, available, num_cpus)
    if not isinstance(acc, CPUAccumulator):
        return (acc,)
    first = take_by_topology_chained(topo, available, num_cpus)
    if not acc.needs(topo.cpus_per_core()):
        return (first,)
    found = [_take_cores_and_cpus(acc, order) for order in sorted(socket_orders(_socket_keys(acc)))]
    return tuple(dict.fromkeys([first, *found]))


@lru_cache(maxsize=4096)
def socket_orders(keys: tuple[SocketKey, ...]) -> frozenset[tuple[SocketKey, ...]]:
    """Every order that sorting `keys` may leave, whichever permutation of them the sort starts from.

    Raises ValueError for more than 8: their permutations are too many to try.
    """
    if len(keys) > 8:
        raise ValueError(f"{len(keys)} sockets: the orders of a Go map are tried for up to 8")
    found = set()
    for permutation in permutations(keys):
        order = list(permutation)
        sort_slice(order, socket_less)
        found.add(tuple(order))
    return frozenset(found)
