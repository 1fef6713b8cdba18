"""CPUTopology: the machine's logical CPUs, and the core, socket and NUMA node of each.

Go: pkg/kubelet/cm/cpumanager/topology/topology.go, releases 1.13 to 1.31. Immutable there too: discovered once, when
the kubelet starts. Core ids are those of `Discover`: the lowest CPU id of the physical core, so unique on the machine.
"""

from collections.abc import Iterable
from typing import Literal

from attrs import field, frozen

from model.cpu.cpuset import CPUSet
from model.go.errors import GoError

Row = tuple[int, int, int, int]
Groups = dict[int, CPUSet]


@frozen(cache_hash=True)
class CPUInfo:
    """Where one logical CPU sits (`CPUInfo`)."""

    numa_node_id: int
    socket_id: int
    core_id: int


def _groups(ids: Iterable[tuple[int, int]]) -> Groups:
    members: dict[int, list[int]] = {}
    for cpu, group in ids:
        members.setdefault(group, []).append(cpu)
    return {group: frozenset(members[group]) for group in sorted(members)}


@frozen(eq=False)
class _Index:
    """Each CPU's place, and the CPUs of each core, socket and NUMA node; built once for a machine."""

    infos: dict[int, CPUInfo]
    cores: Groups
    sockets: Groups
    numa_nodes: Groups

    @classmethod
    def of(cls, rows: tuple[Row, ...]) -> "_Index":
        return cls(
            {cpu: CPUInfo(numa, socket, core) for cpu, core, socket, numa in rows},
            _groups((row[0], row[1]) for row in rows),
            _groups((row[0], row[2]) for row in rows),
            _groups((row[0], row[3]) for row in rows),
        )


@frozen(eq=False)
class CPUDetails:
    """Some CPUs of a machine with their places (Go: `CPUDetails`, a map from a CPU id to `CPUInfo`).

    Functions on ids answer for these CPUs only. An id that no CPU has gives nothing.
    """

    # The places of all CPUs of the machine.
    index: _Index = field(repr=False)
    # Which CPUs these are.
    cpus: CPUSet

    def __getitem__(self, cpu: int) -> CPUInfo:
        if cpu not in self.cpus:
            raise KeyError(cpu)
        return self.index.infos[cpu]

    def __len__(self) -> int:
        return len(self.cpus)

    def keep_only(self, cpus: CPUSet) -> "CPUDetails":
        """Only those of `cpus` (`KeepOnly`)."""
        return CPUDetails(self.index, self.cpus & cpus)

    def numa_nodes(self) -> CPUSet:
        """The NUMA node ids (`NUMANodes`)."""
        return self._present(self.index.numa_nodes)

    def sockets(self) -> CPUSet:
        """The socket ids (`Sockets`)."""
        return self._present(self.index.sockets)

    def cores(self) -> CPUSet:
        """The core ids (`Cores`)."""
        return self._present(self.index.cores)

    def cpus_in_numa_nodes(self, *ids: int) -> CPUSet:
        """The CPUs of these NUMA nodes (`CPUsInNUMANodes`)."""
        return self._members(self.index.numa_nodes, ids)

    def cpus_in_sockets(self, *ids: int) -> CPUSet:
        """The CPUs of these sockets (`CPUsInSockets`; `CPUsInSocket` in 1.13 and 1.14)."""
        return self._members(self.index.sockets, ids)

    def cpus_in_cores(self, *ids: int) -> CPUSet:
        """The CPUs of these cores (`CPUsInCores`; `CPUsInCore` in 1.13 and 1.14)."""
        return self._members(self.index.cores, ids)

    def numa_nodes_in_sockets(self, *ids: int) -> CPUSet:
        """The NUMA nodes of these sockets' CPUs (`NUMANodesInSockets`)."""
        return frozenset(self.index.infos[cpu].numa_node_id for cpu in self.cpus_in_sockets(*ids))

    def sockets_in_numa_nodes(self, *ids: int) -> CPUSet:
        """The sockets of these NUMA nodes' CPUs (`SocketsInNUMANodes`)."""
        return frozenset(self.index.infos[cpu].socket_id for cpu in self.cpus_in_numa_nodes(*ids))

    def cores_in_numa_nodes(self, *ids: int) -> CPUSet:
        """The cores of these NUMA nodes' CPUs (`CoresInNUMANodes`)."""
        return frozenset(self.index.infos[cpu].core_id for cpu in self.cpus_in_numa_nodes(*ids))

    def cores_in_sockets(self, *ids: int) -> CPUSet:
        """The cores of these sockets' CPUs (`CoresInSockets`; `CoresInSocket` in 1.13 and 1.14)."""
        return frozenset(self.index.infos[cpu].core_id for cpu in self.cpus_in_sockets(*ids))

    def _present(self, groups: Groups) -> CPUSet:
        return frozenset(group for group, members in groups.items() if not members.isdisjoint(self.cpus))

    def _members(self, groups: Groups, ids: tuple[int, ...]) -> CPUSet:
        if len(ids) == 1:
            return groups.get(ids[0], frozenset()) & self.cpus
        return frozenset().union(*(groups.get(group, frozenset()) for group in ids)) & self.cpus


@frozen(cache_hash=True)
class CPUTopology:
    """The machine (Go: `CPUTopology`). Equal and hashed by its rows and counts."""

    # CPU, core, socket and NUMA node of each online logical CPU, by ascending CPU id.
    rows: tuple[Row, ...]
    # The counts that `Discover` was given and computed. If cAdvisor describes the machine consistently, they are the
    # counts of the rows.
    num_cpus: int
    num_cores: int
    num_sockets: int
    num_numa_nodes: int
    cpu_details: CPUDetails = field(init=False, eq=False, repr=False)

    @cpu_details.default
    def _details(self) -> CPUDetails:
        return CPUDetails(_Index.of(self.rows), frozenset(row[0] for row in self.rows))

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> "CPUTopology":
        """The machine with these rows (cpu, core, socket, numa), its counts the numbers of distinct values.

        Raises ValueError when a row is not four non-negative integers or a CPU occurs twice.
        """
        found: list[Row] = []
        for row in rows:
            cpu, core, socket, numa = row
            if min(cpu, core, socket, numa) < 0:
                raise ValueError(f"negative id in {cpu, core, socket, numa}")
            found.append((cpu, core, socket, numa))
        found.sort()
        if len({row[0] for row in found}) != len(found):
            raise ValueError("a CPU occurs twice")
        cores, sockets, numa_nodes = (len({row[i] for row in found}) for i in (1, 2, 3))
        return cls(tuple(found), len(found), cores, sockets, numa_nodes)

    @property
    def cpus(self) -> CPUSet:
        """All logical CPUs (`CPUDetails.CPUs()`)."""
        return self.cpu_details.cpus

    def cpus_per_core(self) -> int:
        """`CPUsPerCore`: a mean, rounded down; on an irregular machine no core need have this many."""
        return self.num_cpus // self.num_cores if self.num_cores else 0

    def cpus_per_socket(self) -> int:
        """`CPUsPerSocket`: a mean, rounded down; on an irregular machine no socket need have this many."""
        return self.num_cpus // self.num_sockets if self.num_sockets else 0

    def cpu_core_id(self, cpu: int) -> int | GoError:
        """The core of `cpu` (`CPUCoreID`, from 1.22 on)."""
        return self.cpu_details[cpu].core_id if cpu in self.cpus else GoError(f"unknown CPU ID: {cpu}")

    def cpu_socket_id(self, cpu: int) -> int | GoError:
        """The socket of `cpu` (`CPUSocketID`, from 1.22 on)."""
        return self.cpu_details[cpu].socket_id if cpu in self.cpus else GoError(f"unknown CPU ID: {cpu}")

    def cpu_numa_node_id(self, cpu: int) -> int | GoError:
        """The NUMA node of `cpu` (`CPUNUMANodeID`, from 1.22 on)."""
        return self.cpu_details[cpu].numa_node_id if cpu in self.cpus else GoError(f"unknown CPU ID: {cpu}")


Numbering = Literal["linux", "compact"]


def regular(
    sockets: int, numa_per_socket: int, cores: int, threads: int, numbering: Numbering = "linux"
) -> CPUTopology:
    """The regular machine with `cores` cores in each NUMA node and `threads` CPUs in each core.

    `numbering`: `linux` numbers the first CPU of every core, then the second ones (siblings are i and i + cores);
    `compact` numbers core by core (siblings are neighbours). Raises ValueError unless all numbers are positive.
    """
    if min(sockets, numa_per_socket, cores, threads) < 1:
        raise ValueError("a machine has at least one socket, NUMA node, core and thread")
    all_cores = sockets * numa_per_socket * cores
    rows: list[Row] = []
    for core in range(all_cores):
        numa = core // cores
        ids = [core + t * all_cores if numbering == "linux" else core * threads + t for t in range(threads)]
        rows += [(cpu, ids[0], numa // numa_per_socket, numa) for cpu in ids]
    return CPUTopology.of(rows)
