"""Discover: the CPU topology that a kubelet makes of what cAdvisor says about the machine.

Go: pkg/kubelet/cm/cpumanager/topology/topology.go `Discover`, releases 1.13 to 1.36.
"""

from collections.abc import Callable

from attrs import frozen

from model.cpu.topology import CPUTopology, Row
from model.go.errors import GoError


@frozen
class Core:
    """cAdvisor's `Core`: its CPUs, and its socket (which cAdvisor tells from Kubernetes 1.20 on)."""

    threads: tuple[int, ...]
    socket_id: int = 0
    # The L3 caches that a part of its node shares (from Kubernetes 1.24 on).
    uncore_caches: tuple[int, ...] = ()


@frozen
class Node:
    """cAdvisor's `Node`: a NUMA node; up to Kubernetes 1.19 a socket."""

    id: int
    cores: tuple[Core, ...]


@frozen
class MachineInfo:
    """What `Discover` reads of cAdvisor's `MachineInfo`."""

    # How many logical CPUs there are: cAdvisor calls them cores.
    num_cores: int
    num_sockets: int
    topology: tuple[Node, ...]


def get_unique_core_id(threads: tuple[int, ...]) -> int | GoError:
    """The lowest CPU id of a core (`getUniqueCoreID`)."""
    if not threads:
        return GoError("no cpus provided")
    if len(threads) != len(set(threads)):
        return GoError("cpus provided are not unique")
    return min(threads)


def _no_caches(core: Core, socket: int) -> int:
    return socket


def _discover(
    info: MachineInfo,
    num_sockets: int,
    socket_of: Callable[[Node, Core], int],
    uncore_of: Callable[[Core, int], int] = _no_caches,
) -> CPUTopology | GoError:
    if info.num_cores == 0:
        return GoError("could not detect number of cpus")
    rows: dict[int, Row] = {}
    caches: dict[int, int] = {}
    for node in info.topology:
        for core in node.cores:
            core_id = get_unique_core_id(core.threads)
            if isinstance(core_id, GoError):
                return core_id
            # A CPU that two cores name belongs to the later one.
            socket = socket_of(node, core)
            rows.update({cpu: (cpu, core_id, socket, node.id) for cpu in core.threads})
            caches.update(dict.fromkeys(core.threads, uncore_of(core, socket)))
    num_cores = sum(len(node.cores) for node in info.topology)
    num_numa_nodes = len({row[3] for row in rows.values()})
    ordered = tuple(sorted(rows.values()))
    own = any(caches[row[0]] != row[2] for row in ordered)
    uncore = tuple(caches[row[0]] for row in ordered) if own else ()
    return CPUTopology(ordered, info.num_cores, num_cores, num_sockets, num_numa_nodes, uncore)


def discover_nodes_as_sockets(info: MachineInfo) -> CPUTopology | GoError:
    """`Discover` (1.13 to 1.19.8): a node is a socket.

    NUMA node ids, which 1.16 to 1.19 take from /sys beside cAdvisor (#81951), are the node ids here.
    """
    return _discover(info, len(info.topology), lambda node, core: node.id)


def discover_counting_nodes(info: MachineInfo) -> CPUTopology | GoError:
    """`Discover` (1.20.0 to 1.20.4): nodes are NUMA nodes, yet the number of sockets is the number of nodes.

    With more nodes than sockets `CPUTopology.cpus_per_socket` is too low then, and a free socket is not seen as free.
    """
    return _discover(info, len(info.topology), lambda node, core: core.socket_id)


def discover(info: MachineInfo) -> CPUTopology | GoError:
    """`Discover` (1.19.9, 1.20.5 and 1.21 to 1.31)."""
    return _discover(info, info.num_sockets, lambda node, core: core.socket_id)


def get_uncore_cache_id(core: Core, socket: int) -> int:
    """`getUncoreCacheID`: the first one's id, or the socket's, which may be the id of another cache too."""
    return core.uncore_caches[0] if core.uncore_caches else socket


def discover_uncore_caches(info: MachineInfo) -> CPUTopology | GoError:
    """`Discover` from 1.32 on (#126750): with the uncore cache of each CPU."""
    return _discover(info, info.num_sockets, lambda node, core: core.socket_id, get_uncore_cache_id)


Discover = Callable[[MachineInfo], CPUTopology | GoError]


@frozen(slots=False, kw_only=True)
class TopologyRules:
    """How a release reads the machine."""

    discover: Discover
