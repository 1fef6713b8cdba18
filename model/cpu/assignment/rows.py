"""Which release follows which rule of takeByTopology."""

from model.cpu.assignment import (
    assignment,
    chained as assignment_chained,
    distributed as assignment_distributed,
    distributed_first as assignment_distributed_first,
    packed as assignment_packed,
    uncore as assignment_uncore,
)
from model.cpu.go_files import ASSIGNMENT_GO
from model.rules import Row

ASSIGNMENT_ROWS: tuple[Row, ...] = (
    Row("take_by_topology", "1.13.0", assignment_chained.take_by_topology_chained, "",
        f"{ASSIGNMENT_GO} takeByTopology"),
    Row("take_by_topology", "1.15.0-alpha.1", assignment_chained.take_by_topology_map_order,
        "freeCores sorts the sockets from a map's order", f"{ASSIGNMENT_GO} freeCores"),
    Row("take_by_topology", "1.22.0-alpha.2", assignment_packed.take_by_topology_ordered,
        "#102014; not in 1.22.0-alpha.1, in 1.22.0-alpha.3", f"{ASSIGNMENT_GO} takeByTopology"),
    Row("take_by_topology", "1.23.0-alpha.4", assignment_packed.take_by_topology_numa_packed,
        "#102015 takes whole NUMA nodes (release note of 1.23.0-alpha.4)", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked"),
    Row("take_by_topology", "1.29.0-alpha.2", assignment_packed.take_by_topology_numa_packed_counted,
        "#121059; in 1.29.0-alpha.3, not in 1.29.0-alpha.1"),
    Row("take_by_topology", "1.31.0-beta.0", assignment_packed.take_by_topology_numa_packed_or_spread,
        "#123733; not in 1.31.0-alpha.2"),
    Row("take_by_topology", "1.32.0", assignment_uncore.take_by_topology_uncore_whole_cores,
        "#126750; not in 1.31.13", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked, takePartialUncore"),
    Row("take_by_topology", "1.33.6", assignment_uncore.take_by_topology_uncore, "#131850; not in 1.33.5"),
    Row("take_by_topology", "1.34.0", assignment_uncore.take_by_topology_uncore,
        "#131850, after June 17, 2025; in 1.34.1"),
    Row("take_by_topology_numa_distributed", "1.13.0", assignment.distribute_unknown, "",
        f"{ASSIGNMENT_GO} takeByTopology"),
    Row("take_by_topology_numa_distributed", "1.23.0-alpha.4",
        assignment_distributed_first.take_by_topology_numa_distributed_first,
        "#105631 (release note of 1.23.0-alpha.4)",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed"),
    Row("take_by_topology_numa_distributed", "1.23.1", assignment_distributed.take_by_topology_numa_distributed,
        "#106599 by #106953; not in 1.23.0"),
    Row("take_by_topology_numa_distributed", "1.24.0-alpha.1", assignment_distributed.take_by_topology_numa_distributed,
        "#106599; in 1.24.0-alpha.2"),
    Row("take_by_topology_numa_distributed", "1.29.0-alpha.2",
        assignment_distributed.take_by_topology_numa_distributed_counted,
        "#121059; in 1.29.0-alpha.3, not in 1.29.0-alpha.1"),
    Row("take_by_topology_numa_distributed", "1.31.0-beta.0",
        assignment_distributed.take_by_topology_numa_distributed_or_spread, "#123733; not in 1.31.0-alpha.2"),
)  # fmt: skip
