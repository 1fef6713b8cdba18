"""Which release follows which rule of the CPU manager's components, each row with its source."""

from model.cpu import (
    assignment,
    assignment_chained,
    assignment_distributed,
    assignment_distributed_first,
    assignment_packed,
    checkpoint,
    checkpoint_format,
    cpuset,
)
from model.release_row import Row

CPUSET_GO = "pkg/kubelet/cm/cpuset/cpuset.go"

CPUSET_ROWS: tuple[Row, ...] = (
    Row("parse_cpuset", "1.13.0", cpuset.parse_skipping_odd_parts, "", f"{CPUSET_GO} Parse", "recorded"),
    Row("parse_cpuset", "1.22.0-alpha.1", cpuset.parse_refusing_ge_ranges,
        "a part with two dashes or an empty range is an error; not in 1.21.0", f"{CPUSET_GO} Parse", "recorded"),
    Row("parse_cpuset", "1.27.0-alpha.1", cpuset.parse_refusing_empty_ranges,
        "the error says >; not in 1.26.15, in 1.27.14", f"{CPUSET_GO} Parse; from 1.28 in k8s.io/utils/cpuset",
        "recorded"),
)  # fmt: skip

STATE_GO = "pkg/kubelet/cm/cpumanager/state"

CHECKPOINT_ROWS: tuple[Row, ...] = (
    Row("store_checkpoint", "1.13.0", checkpoint.store_v1, "", f"{STATE_GO}/state_checkpoint.go storeState",
        "recorded"),
    Row("store_checkpoint", "1.18.0-alpha.1", checkpoint.store_v2, "#84462",
        f"{STATE_GO}/state_checkpoint.go storeState", "recorded"),
    Row("get_checkpoint", "1.13.0", checkpoint.read_v1, "", f"{STATE_GO}/state_checkpoint.go restoreState", "recorded"),
    Row("get_checkpoint", "1.18.0-alpha.1", checkpoint.read_v1_then_v2, "#84462",
        f"{STATE_GO}/state_checkpoint.go restoreState", "recorded"),
    Row("verify_checkpoint", "1.13.0", checkpoint_format.verify_checksum, "#86689 keeps it so for version 1",
        f"{STATE_GO}/checkpoint.go VerifyChecksum", "recorded"),
    Row("migrate_checkpoint", "1.13.0", checkpoint.keep_container_ids, "", f"{STATE_GO}/state_checkpoint.go "
        "restoreState", "recorded"),
    Row("migrate_checkpoint", "1.18.0-alpha.1", checkpoint.migrate_v1_checkpoint_to_v2_checkpoint, "#84462",
        f"{STATE_GO}/state_checkpoint.go migrateV1CheckpointToV2Checkpoint", "recorded"),
    Row("container_in_text", "1.13.0", checkpoint.named_by_id, "", f"{STATE_GO}/state_checkpoint.go restoreState",
        "recorded"),
    Row("container_in_text", "1.18.0-alpha.1", checkpoint.named_in_pod, "#84462",
        f"{STATE_GO}/state_checkpoint.go restoreState", "recorded"),
    Row("not_restored_text", "1.13.0", checkpoint.not_restored_two_lines, "",
        f"{STATE_GO}/state_checkpoint.go NewCheckpointState", "recorded"),
    Row("not_restored_text", "1.18.0-alpha.1", checkpoint.not_restored_one_line, "not in 1.17.9",
        f"{STATE_GO}/state_checkpoint.go NewCheckpointState", "recorded"),
)  # fmt: skip

ASSIGNMENT_GO = "pkg/kubelet/cm/cpumanager/cpu_assignment.go"

ASSIGNMENT_ROWS: tuple[Row, ...] = (
    Row("take_by_topology", "1.13.0", assignment_chained.take_by_topology_chained, "",
        f"{ASSIGNMENT_GO} takeByTopology", "recorded"),
    Row("take_by_topology", "1.15.0-alpha.1", assignment_chained.take_by_topology_map_order,
        "freeCores sorts the sockets from a map's order", f"{ASSIGNMENT_GO} freeCores", "recorded"),
    Row("take_by_topology", "1.22.0-alpha.2", assignment_packed.take_by_topology_ordered,
        "#102014; not in 1.22.0-alpha.1, in 1.22.0-alpha.3", f"{ASSIGNMENT_GO} takeByTopology", "recorded"),
    Row("take_by_topology", "1.23.0-alpha.1", assignment_packed.take_by_topology_numa_packed,
        "#102015 takes whole NUMA nodes; not in 1.22.0", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked", "recorded"),
    Row("take_by_topology", "1.29.0-alpha.2", assignment_packed.take_by_topology_numa_packed_counted,
        "#121059 of 2023-10; in 1.29.0-alpha.3", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked", "read"),
    Row("take_by_topology", "1.31.0-beta.0", assignment_packed.take_by_topology_numa_packed_or_spread,
        "#123733; not in 1.31.0-alpha.2", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked", "recorded"),
    Row("take_by_topology_numa_distributed", "1.13.0", assignment.distribute_unknown, "", ASSIGNMENT_GO, "read"),
    Row("take_by_topology_numa_distributed", "1.23.0-alpha.4",
        assignment_distributed_first.take_by_topology_numa_distributed_first, "#105631 of 2021-10",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed", "recorded"),
    Row("take_by_topology_numa_distributed", "1.23.1", assignment_distributed.take_by_topology_numa_distributed,
        "#106953, the 1.23 back-port of #106599, approved on 2021-12-10, three days after 1.23.0",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed", "inferred"),
    Row("take_by_topology_numa_distributed", "1.24.0-alpha.1", assignment_distributed.take_by_topology_numa_distributed,
        "#106599; in 1.24.0-alpha.2", f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed", "recorded"),
    Row("take_by_topology_numa_distributed", "1.29.0-alpha.2",
        assignment_distributed.take_by_topology_numa_distributed_counted, "#121059 of 2023-10; in 1.29.0-alpha.3",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed", "read"),
    Row("take_by_topology_numa_distributed", "1.31.0-beta.0",
        assignment_distributed.take_by_topology_numa_distributed_or_spread, "#123733; not in 1.31.0-alpha.2",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed", "recorded"),
)  # fmt: skip

CPU_ROWS: tuple[Row, ...] = CPUSET_ROWS + ASSIGNMENT_ROWS + CHECKPOINT_ROWS
