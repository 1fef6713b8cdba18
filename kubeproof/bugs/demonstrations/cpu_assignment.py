"""Which CPUs takeByTopology takes: bugs that components show, each under the rules of any release."""

from functools import partial

from kubeproof.bugs.component import Demonstration, Under
from model.cpu.assignment.accumulator import CPUAccumulator, Hang, Taken
from model.cpu.assignment.assignment import AssignmentRules
from model.cpu.assignment.uncore import take_with_parts
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.topology import CPUTopology, regular
from model.go.errors import GoError

# --- CPU-UNCORE-HALF-CORES ----------------------------------------------------------------------------------------

CACHES = 2
CORES = 4  # two in each cache; core i has the CPUs i and i + 4


def _cache(cpu: int) -> int:
    return cpu % CORES // (CORES // CACHES)


def half_free_cores(under: Under) -> Demonstration:
    """Two CPUs are free in one uncore cache, on two cores; a container asks for two CPUs."""
    rows = [(core + thread * CORES, core, 0, 0, _cache(core)) for core in range(CORES) for thread in (0, 1)]
    free = frozenset({0, 2, 3})
    lines = [
        "one socket, 4 cores with 2 CPUs each; the uncore caches are 0-1,4-5 and 2-3,6-7",
        f"free: {to_string(free)}; a container asks for 2 CPUs",
    ]
    take = under.rules(AssignmentRules).take_by_topology
    taken: Taken = take(CPUTopology.of(rows), free, 2, "packed-uncore")
    assert isinstance(taken, frozenset)
    lines.append(f"the container gets {to_string(taken)}")
    crossed = len({_cache(cpu) for cpu in taken}) > 1
    return Demonstration(("the CPUs are of two uncore caches",) if crossed else (), tuple(lines))


def _part_of_whole_cores_first(acc: CPUAccumulator, uncore: int) -> CPUSet:
    free = acc.details.cpus_in_uncore_caches(uncore)
    by_core = sorted(free, key=lambda cpu: (not acc.is_core_free(acc.details[cpu].core_id), cpu))
    return frozenset(by_core[: acc.num_cpus_needed])


# CPUs are taken of a cache that has enough, whole cores first, as #137360 proposes.
take_in_one_cache = partial(take_with_parts, part_of=_part_of_whole_cores_first)


# --- CPU-DISTRIBUTE-HANG ------------------------------------------------------------------------------------------

NUMA_NODES = 4


def odd_numbers_of_cpus(under: Under) -> Demonstration:
    """One CPU of each NUMA node is reserved; a container asks for whole cores over all NUMA nodes."""
    rules = under.rules(AssignmentRules)
    machine = regular(1, NUMA_NODES, 3, 2)
    reserved = frozenset(min(machine.cpu_details.cpus_in_numa_nodes(numa)) for numa in range(NUMA_NODES))
    lines = [
        f"{NUMA_NODES} NUMA nodes with 3 cores each, 2 CPUs in a core; reserved: {to_string(reserved)}",
        "distribute-cpus-across-numa and full-pcpus-only are on; a container asks for 14 CPUs",
    ]
    taken = rules.take_by_topology_numa_distributed(machine, machine.cpus - reserved, 14, 2, "packed")
    lines.append(_answer(taken))
    return Demonstration(("Allocate never returns",) if isinstance(taken, Hang) else (), tuple(lines))


def _answer(taken: CPUSet | GoError | Hang) -> str:
    if isinstance(taken, Hang):
        return f"takeByTopologyNUMADistributed is in an endless loop, {taken.loop}"
    return f"an error: {taken.text}" if isinstance(taken, GoError) else f"the container gets {to_string(taken)}"
