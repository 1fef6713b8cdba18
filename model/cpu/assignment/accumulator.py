"""cpuAccumulator: CPUs taken so far, CPUs that may still be taken, and how many are needed.

Go: pkg/kubelet/cm/cpumanager/cpu_assignment.go `cpuAccumulator`, releases 1.13 to 1.36. A value of one call there;
here immutable: `take` gives the next one.
"""

from typing import Literal

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUDetails, CPUTopology
from model.go.errors import GoError


@frozen
class Hang:
    """The Go code never returns: a round of a loop changes nothing."""

    # Which loop, in words.
    loop: str


Taken = CPUSet | GoError | Hang
"""What a call of takeByTopology gives: the CPUs, its error, or that it does not return."""

Strategy = Literal["packed", "spread", "packed-uncore", "spread-uncore"]
"""`CPUSortingStrategy` (1.31), and whether `preferAlignByUncoreCache` goes with it (1.32)."""


@frozen
class CPUAccumulator:
    """What a call has taken so far (Go: `cpuAccumulator`)."""

    # The machine, which never changes.
    topo: CPUTopology
    # The CPUs that are still free.
    details: CPUDetails
    # How many CPUs are still to be taken.
    num_cpus_needed: int
    # The CPUs that were taken.
    result: CPUSet = frozenset()

    @classmethod
    def of(cls, topo: CPUTopology, available: CPUSet, num_cpus: int) -> "CPUAccumulator":
        """`newCPUAccumulator`: CPUs of `available` that are none of the machine's are left out."""
        return cls(topo, topo.cpu_details.keep_only(available), num_cpus)

    def take(self, cpus: CPUSet) -> "CPUAccumulator":
        """`take`: the need falls by the size of `cpus` even where they were taken before."""
        result = self.result | cpus
        left = self.details.keep_only(self.details.cpus - result)
        return CPUAccumulator(self.topo, left, self.num_cpus_needed - len(cpus), result)

    def is_numa_node_free(self, numa: int) -> bool:
        """`isNUMANodeFree` (1.23): compared with the true size, unlike sockets and cores."""
        return self.details.cpus_in_numa_nodes(numa) == self.topo.cpu_details.cpus_in_numa_nodes(numa)

    def is_socket_free(self, socket: int) -> bool:
        """`isSocketFree`: has the machine's mean number of CPUs."""
        return len(self.details.cpus_in_sockets(socket)) == self.topo.cpus_per_socket()

    def is_uncore_cache_free(self, uncore: int) -> bool:
        """`isUncoreCacheFree` (1.32): compared with the true size."""
        return self.details.cpus_in_uncore_caches(uncore) == self.topo.cpu_details.cpus_in_uncore_caches(uncore)

    def is_core_free(self, core: int) -> bool:
        """`isCoreFree`: has the machine's mean number of CPUs."""
        return len(self.details.cpus_in_cores(core)) == self.topo.cpus_per_core()

    def needs(self, n: int) -> bool:
        """`needs`, since 1.30 `needsAtLeast`."""
        return self.num_cpus_needed >= n

    def is_satisfied(self) -> bool:
        """`isSatisfied`."""
        return self.num_cpus_needed < 1

    def is_failed(self) -> bool:
        """`isFailed`."""
        return self.num_cpus_needed > len(self.details.cpus)

    def take_one_by_one(self, order: list[int]) -> Taken:
        """`takeRemainingCPUs`: single CPUs in this order until satisfied, and what the call returns then.

        A CPU that the order names twice counts twice.
        """
        if len(order) < self.num_cpus_needed:
            return GoError("failed to allocate cpus")
        return self.result.union(order[: self.num_cpus_needed])
