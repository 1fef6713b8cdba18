"""CPUTopology: the machine's logical CPUs, and the core, socket, NUMA node and uncore cache of each.

Go: pkg/kubelet/cm/cpumanager/topology/topology.go, releases 1.13 to 1.36. Immutable there too: discovered once, when
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
    # The L3 cache that the CPU shares with a part of its NUMA node; else the socket's id (from 1.32 on).
    uncore_cache_id: int


def _groups(ids: Iterable[tuple[int, int]]) -> Groups:
    members: dict[int, list[int]] = {}
    for cpu, group in ids:
        members.setdefault(group, []).append(cpu)
    return {group: frozenset(members[group]) for group in sorted(members)}


@frozen(eq=False)
class _Index:
    """Each CPU's place, and the CPUs of each core, socket, NUMA node and uncore cache; built once for a machine."""

    infos: dict[int, CPUInfo]
    cores: Groups
    sockets: Groups
    numa_nodes: Groups
    uncore_caches: Groups

    @classmethod
    def of(cls, rows: tuple[Row, ...], uncore: tuple[int, ...]) -> "_Index":
        infos = {row[0]: CPUInfo(row[3], row[2], row[1], cache) for row, cache in zip(rows, uncore, strict=True)}
        return cls(
            infos,
            _groups((row[0], row[1]) for row in rows),
            _groups((row[0], row[2]) for row in rows),
            _groups((row[0], row[3]) for row in rows),
            _groups((cpu, info.uncore_cache_id) for cpu, info in infos.items()),
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

    def uncore_in_numa_nodes(self, *ids: int) -> CPUSet:
        """The uncore caches of these NUMA nodes' CPUs (`UncoreInNUMANodes`)."""
        return frozenset(self.index.infos[cpu].uncore_cache_id for cpu in self.cpus_in_numa_nodes(*ids))

    def cpus_in_uncore_caches(self, *ids: int) -> CPUSet:
        """The CPUs of these uncore caches (`CPUsInUncoreCaches`)."""
        return self._members(self.index.uncore_caches, ids)

    def cores_needed_in_uncore_cache(self, num_cores: int, uncore: int) -> CPUSet:
        """The first `num_cores` cores of an uncore cache by id, or all of fewer (`CoresNeededInUncoreCache`)."""
        cores = sorted({self.index.infos[cpu].core_id for cpu in self.cpus_in_uncore_caches(uncore)})
        return frozenset(cores[:num_cores])

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
    # The uncore cache of each row, where some CPU has one of its own; else empty.
    uncore: tuple[int, ...] = ()
    cpu_details: CPUDetails = field(init=False, eq=False, repr=False)

    @cpu_details.default
    def _details(self) -> CPUDetails:
        uncore = self.uncore or tuple(row[2] for row in self.rows)
        return CPUDetails(_Index.of(self.rows, uncore), frozenset(row[0] for row in self.rows))

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> "CPUTopology":
        """The machine with these rows (cpu, core, socket, numa), its counts the numbers of distinct values.

        A row may have its uncore cache as a fifth number; without one it is the socket's id. Raises ValueError when a
        row is not four or five non-negative integers or a CPU occurs twice.
        """
        found: list[tuple[Row, int]] = []
        for row in rows:
            cpu, core, socket, numa, *uncore = row
            if len(uncore) > 1:
                raise ValueError(f"too many ids in {(cpu, core, socket, numa, *uncore)}")
            if min(cpu, core, socket, numa, *uncore) < 0:
                raise ValueError(f"negative id in {(cpu, core, socket, numa, *uncore)}")
            found.append(((cpu, core, socket, numa), uncore[0] if uncore else socket))
        found.sort()
        ordered = tuple(row for row, _ in found)
        if len({row[0] for row in ordered}) != len(ordered):
            raise ValueError("a CPU occurs twice")
        cores, sockets, numa_nodes = (len({row[i] for row in ordered}) for i in (1, 2, 3))
        own = tuple(cache for _, cache in found) if any(cache != row[2] for row, cache in found) else ()
        return cls(ordered, len(ordered), cores, sockets, numa_nodes, own)

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

    def cpus_per_uncore(self) -> int:
        """`CPUsPerUncore`: a mean, rounded down; an uncore cache need not have this many."""
        caches = len(self.cpu_details.index.uncore_caches)
        return self.num_cpus // caches if caches else 0

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
