"""Which release follows which rule of the CPU manager's components, each row with its source.

The file is longer than others because one table has all rows.
"""

from model.cpu import cpuset, discover, locking, manager, new_manager, reconcile, stale
from model.cpu.assignment import (
    assignment,
)
from model.cpu.assignment import (
    chained as assignment_chained,
)
from model.cpu.assignment import (
    distributed as assignment_distributed,
)
from model.cpu.assignment import (
    distributed_first as assignment_distributed_first,
)
from model.cpu.assignment import (
    packed as assignment_packed,
)
from model.cpu.policy import (
    allocate as policy_allocate,
)
from model.cpu.policy import (
    hints as policy_hints,
)
from model.cpu.policy import (
    options as policy_options,
)
from model.cpu.policy import (
    pods as policy_pods,
)
from model.cpu.policy import (
    remove as policy_remove,
)
from model.cpu.policy import (
    static as policy,
)
from model.cpu.policy import (
    validate as policy_validate,
)
from model.cpu.state import checkpoint
from model.cpu.state import format as checkpoint_format
from model.rules import Row

CPUSET_GO = "pkg/kubelet/cm/cpuset/cpuset.go"

CPUSET_ROWS: tuple[Row, ...] = (
    Row("parse_cpuset", "1.13.0", cpuset.parse_skipping_odd_parts, "", f"{CPUSET_GO} Parse", "recorded"),
    Row("parse_cpuset", "1.22.0-alpha.2", cpuset.parse_refusing_ge_ranges,
        "#100565; not in 1.22.0-alpha.1, in 1.22.0-alpha.3", f"{CPUSET_GO} Parse", "recorded"),
    Row("parse_cpuset", "1.27.0-alpha.2", cpuset.parse_refusing_empty_ranges,
        "the error says >; not in 1.27.0-alpha.1, in 1.27.0", f"{CPUSET_GO} Parse; from 1.28 in k8s.io/utils/cpuset",
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

TOPOLOGY_GO = "pkg/kubelet/cm/cpumanager/topology/topology.go"

TOPOLOGY_ROWS: tuple[Row, ...] = (
    Row("discover", "1.13.0", discover.discover_nodes_as_sockets, "", f"{TOPOLOGY_GO} Discover", "read"),
    Row("discover", "1.19.9", discover.discover_counting_nodes, "#99276 picks #90980", f"{TOPOLOGY_GO} Discover",
        "inferred"),
    Row("discover", "1.20.0-alpha.1", discover.discover_counting_nodes, "#90980", f"{TOPOLOGY_GO} Discover", "read"),
    Row("discover", "1.20.5", discover.discover, "the back-port of #99464, asked for in 1.20.5",
        f"{TOPOLOGY_GO} Discover", "inferred"),
    Row("discover", "1.21.0-alpha.1", discover.discover_counting_nodes, "#90980", f"{TOPOLOGY_GO} Discover",
        "inferred"),
    Row("discover", "1.21.0-beta.1", discover.discover, "#99464", f"{TOPOLOGY_GO} Discover", "read"),
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

STATIC_GO = "pkg/kubelet/cm/cpumanager/policy_static.go"
OPTIONS_GO = "pkg/kubelet/cm/cpumanager/policy_options.go"

POLICY_ROWS: tuple[Row, ...] = (
    Row("guaranteed_cpus", "1.13.0", policy_pods.guaranteed_cpus_by_app_containers, "",
        "pkg/apis/core/v1/helper/qos/qos.go GetPodQOS", "recorded"),
    Row("guaranteed_cpus", "1.16.0", policy_pods.guaranteed_cpus,
        "init containers count for the QoS class; not in 1.15",
        "pkg/apis/core/v1/helper/qos/qos.go GetPodQOS", "recorded"),
    Row("pod_guaranteed_cpus", "1.13.0", policy_pods.pod_guaranteed_cpus_without_sidecars,
        "asked for from 1.20 on", f"{STATIC_GO} podGuaranteedCPUs", "recorded"),
    Row("pod_guaranteed_cpus", "1.29.0", policy_pods.pod_guaranteed_cpus, "#119447; not in 1.28.14",
        f"{STATIC_GO} podGuaranteedCPUs", "recorded"),
    Row("static_policy_options", "1.13.0", policy_options.no_options, "", STATIC_GO, "recorded"),
    Row("static_policy_options", "1.22.0", policy_options.full_pcpus_option, "not in 1.21.0",
        f"{OPTIONS_GO} NewStaticPolicyOptions", "recorded"),
    Row("static_policy_options", "1.23.0-alpha.4", policy_options.gated_options, "#105631 of 2021-10",
        f"{OPTIONS_GO} CheckPolicyOptionAvailable", "recorded"),
    Row("static_policy_options", "1.25.0", policy_options.gated_options_with_sockets, "not in 1.24.10",
        f"{OPTIONS_GO} NewStaticPolicyOptions", "recorded"),
    Row("static_policy_options", "1.31.0-beta.0", policy_options.gated_options_with_cores,
        "#123733; not in 1.31.0-alpha.2", f"{OPTIONS_GO} NewStaticPolicyOptions", "recorded"),
    Row("validate_static_policy_options", "1.13.0", policy_options.accept_options, "", STATIC_GO, "recorded"),
    Row("validate_static_policy_options", "1.25.0", policy_options.validate_static_policy_options, "not in 1.24.10",
        f"{OPTIONS_GO} ValidateStaticPolicyOptions", "recorded"),
    Row("reserve_cpus", "1.13.0", policy.reserve_number_or_panic, "", f"{STATIC_GO} NewStaticPolicy", "recorded"),
    Row("reserve_cpus", "1.17.0", policy.reserve_cpus_or_panic, "#83592; not in 1.16",
        f"{STATIC_GO} NewStaticPolicy", "read"),
    Row("reserve_cpus", "1.18.0-alpha.1", policy.reserve_cpus, "an error, no panic; not in 1.17",
        f"{STATIC_GO} NewStaticPolicy", "recorded"),
    Row("reserved_physical_cpus", "1.13.0", policy.reserved_cpus_alone, "", f"{STATIC_GO} NewStaticPolicy", "recorded"),
    Row("reserved_physical_cpus", "1.27.0", policy.reserved_physical_cpus, "#114114; not in 1.27.0-alpha.1",
        f"{STATIC_GO} NewStaticPolicy", "recorded"),
    Row("validate_state", "1.13.0", policy_validate.validate_state_by_id, "", f"{STATIC_GO} validateState", "recorded"),
    Row("validate_state", "1.18.0-alpha.1", policy_validate.validate_state,
        "#84462 keys the state by pod and container", f"{STATIC_GO} validateState", "recorded"),
    Row("report_at_start", "1.13.0", policy_validate.panic_at_start, "", f"{STATIC_GO} Start", "read"),
    Row("report_at_start", "1.18.0-alpha.1", policy_validate.return_at_start, "not in 1.17", f"{STATIC_GO} Start",
        "recorded"),
    Row("allocatable_cpus", "1.13.0", policy_allocate.allocatable_cpus_not_reported, "not reported",
        f"{STATIC_GO} (no GetAllocatableCPUs)", "read"),
    Row("allocatable_cpus", "1.21.0", policy_allocate.allocatable_cpus_free_now,
        "#95734, by the release note of 1.21.0; not in 1.20, nor in the notes up to 1.21.0-beta.1",
        f"{STATIC_GO} GetAllocatableCPUs", "recorded"),
    Row("allocatable_cpus", "1.23.14", policy_allocate.allocatable_cpus,
        "#113422 picks #112913; merged before 1.23.14 of 2022-11", f"{STATIC_GO} GetAllocatableCPUs", "inferred"),
    Row("allocatable_cpus", "1.24.0", policy_allocate.allocatable_cpus_free_now, "in 1.24.0",
        f"{STATIC_GO} GetAllocatableCPUs", "read"),
    Row("allocatable_cpus", "1.24.8", policy_allocate.allocatable_cpus,
        "#113421 picks #112913; in 1.24.10, merged before 1.24.8 of 2022-11", f"{STATIC_GO} GetAllocatableCPUs",
        "inferred"),
    Row("allocatable_cpus", "1.25.0", policy_allocate.allocatable_cpus_free_now, "in 1.25.0",
        f"{STATIC_GO} GetAllocatableCPUs", "read"),
    Row("allocatable_cpus", "1.25.4", policy_allocate.allocatable_cpus,
        "#113420 picks #112913; in 1.25.6, merged before 1.25.4 of 2022-11", f"{STATIC_GO} GetAllocatableCPUs",
        "inferred"),
    Row("allocatable_cpus", "1.26.0-rc.1", policy_allocate.allocatable_cpus, "#112913",
        f"{STATIC_GO} GetAllocatableCPUs", "recorded"),
    Row("smt_alignment_error", "1.13.0", policy_allocate.smt_multiple_error, "the option comes with 1.22",
        f"{STATIC_GO} Allocate", "recorded"),
    Row("smt_alignment_error", "1.27.0", policy_allocate.smt_alignment_error, "#114114; not in 1.27.0-alpha.1",
        f"{STATIC_GO} Allocate", "recorded"),
    Row("update_cpus_to_reuse", "1.13.0", policy_allocate.update_cpus_to_reuse_of_sidecars, "called from 1.18.4 on",
        f"{STATIC_GO} updateCPUsToReuse", "recorded"),
    Row("update_cpus_to_reuse", "1.29.0", policy_allocate.update_cpus_to_reuse, "#119447; not in 1.28.14",
        f"{STATIC_GO} updateCPUsToReuse", "recorded"),
    Row("allocate", "1.13.0", policy_allocate.add_container_by_id, "", f"{STATIC_GO} AddContainer", "recorded"),
    Row("allocate", "1.16.0", policy_allocate.add_container_removing_init, "#78762; not in 1.15",
        f"{STATIC_GO} AddContainer", "read"),
    Row("allocate", "1.18.0-alpha.1", policy_allocate.allocate_returning_init_cpus,
        "#84462 keys the state by pod and container; the alphas keep init containers' CPUs until #87759",
        f"{STATIC_GO} AddContainer", "inferred"),
    Row("allocate", "1.18.0", policy_allocate.allocate_returning_init_cpus, "#87759; not in 1.17",
        f"{STATIC_GO} Allocate", "read"),
    Row("allocate", "1.18.4", policy_allocate.allocate, "#90419, picked by #90529", f"{STATIC_GO} Allocate",
        "recorded"),
    Row("remove_container", "1.13.0", policy_remove.remove_container_by_id, "", f"{STATIC_GO} RemoveContainer",
        "recorded"),
    Row("remove_container", "1.18.0-alpha.1", policy_remove.remove_container_freeing_all,
        "#84462 keys the state by pod and container", f"{STATIC_GO} RemoveContainer", "recorded"),
    Row("remove_container", "1.24.0-alpha.2", policy_remove.remove_container, "#104837; not in 1.23.0",
        f"{STATIC_GO} RemoveContainer", "recorded"),
    Row("generate_cpu_topology_hints", "1.13.0", policy_hints.no_hints, "", STATIC_GO, "read"),
    Row("generate_cpu_topology_hints", "1.16.0", policy_hints.hints_ignoring_reuse,
        "in 1.16 in cpumanager/topology_hints.go", f"{STATIC_GO} generateCPUTopologyHints", "recorded"),
    Row("generate_cpu_topology_hints", "1.19.0-rc.3", policy_hints.hints_on_fewest_sockets, "#93189",
        f"{STATIC_GO} generateCPUTopologyHints", "inferred"),
    Row("generate_cpu_topology_hints", "1.19.9", policy_hints.generate_cpu_topology_hints, "#99276 picks #90980",
        f"{STATIC_GO} generateCPUTopologyHints", "inferred"),
    Row("generate_cpu_topology_hints", "1.20.0", policy_hints.generate_cpu_topology_hints, "#90980",
        f"{STATIC_GO} generateCPUTopologyHints", "recorded"),
)  # fmt: skip

MANAGER_GO = "pkg/kubelet/cm/cpumanager/cpu_manager.go"
LIFECYCLE_GO = "pkg/kubelet/cm/internal_container_lifecycle.go"
PODS_GO = "pkg/kubelet/kubelet_pods.go"

MANAGER_ROWS: tuple[Row, ...] = (
    Row("active_pods", "1.13.0", manager.active_pods_not_terminal, "", f"{PODS_GO} GetActivePods", "read"),
    Row("active_pods", "1.22.0-alpha.3", manager.active_pods_with_workers, "#102344; in 1.22.0, not in 1.21.0",
        f"{PODS_GO} filterOutTerminatedPods", "read"),
    Row("active_pods", "1.23.0-alpha.2", manager.active_pods_not_terminal, "#104577",
        f"{PODS_GO} filterOutInactivePods", "read"),
    Row("manager_allocate", "1.13.0", manager.manager_allocate_nothing, "", f"{MANAGER_GO} (no Allocate)", "read"),
    Row("manager_allocate", "1.18.0", manager.manager_allocate_as_it_is, "#87759", f"{MANAGER_GO} Allocate", "read"),
    Row("manager_allocate", "1.18.4", manager.manager_allocate_after_cleaning, "#90377", f"{MANAGER_GO} Allocate",
        "read"),
    Row("manager_allocate", "1.22.1", manager.manager_allocate_pending, "#104267 picks #103979, meant for 1.22.1",
        f"{MANAGER_GO} Allocate, setPodPendingAdmission", "inferred"),
    Row("manager_allocate", "1.23.0-alpha.1", manager.manager_allocate_pending, "#103979",
        f"{MANAGER_GO} Allocate, setPodPendingAdmission", "read"),
    Row("manager_add_container", "1.13.0", manager.manager_add_container_taking_cpus, "", f"{MANAGER_GO} AddContainer",
        "read"),
    Row("manager_add_container", "1.18.0", manager.manager_add_container_updating, "#87759",
        f"{MANAGER_GO} AddContainer", "read"),
    Row("manager_add_container", "1.21.0", manager.manager_add_container_mapping,
        "not on the branch of 1.20 in 2020-11, in 1.21.0", f"{MANAGER_GO} AddContainer; {LIFECYCLE_GO} "
        "PreCreateContainer", "read"),
    Row("manager_add_container", "1.22.0-alpha.2", manager.manager_add_container_noting,
        "#101771; in 1.22.0-alpha.3, not in 1.21.0", f"{MANAGER_GO} AddContainer", "read"),
    Row("manager_remove_container", "1.13.0", manager.manager_remove_container_by_key, "",
        f"{MANAGER_GO} RemoveContainer", "read"),
    Row("manager_remove_container", "1.18.0", manager.manager_remove_container_by_id, "#84462",
        f"{MANAGER_GO} policyRemoveContainerByID", "read"),
    Row("post_stop_container", "1.13.0", manager.post_stop_container_removing, "",
        f"{LIFECYCLE_GO} PreStopContainer, PostStopContainer", "read"),
    Row("post_stop_container", "1.18.4", manager.post_stop_container_nothing, "#90377",
        f"{LIFECYCLE_GO} PreStopContainer, PostStopContainer", "read"),
    Row("remove_stale_state", "1.13.0", stale.remove_stale_state_never, "", f"{MANAGER_GO} (none)", "read"),
    Row("remove_stale_state", "1.17.0", stale.remove_stale_state_by_id, "#81344", f"{MANAGER_GO} removeStaleState",
        "read"),
    Row("remove_stale_state", "1.18.0", stale.remove_stale_assignments, "#84462", f"{MANAGER_GO} removeStaleState",
        "read"),
    Row("remove_stale_state", "1.24.10", stale.remove_stale_assignments_and_ids,
        "a back-port of #109103; in 1.24.10, not in 1.24.0", f"{MANAGER_GO} removeStaleState", "inferred"),
    Row("remove_stale_state", "1.25.0", stale.remove_stale_assignments_and_ids, "#109103; not in 1.25.0-alpha.0",
        f"{MANAGER_GO} removeStaleState", "read"),
    Row("reconcile_state", "1.13.0", reconcile.reconcile_state_adding, "", f"{MANAGER_GO} reconcileState", "read"),
    Row("reconcile_state", "1.14.0", reconcile.reconcile_state_removing_without_init, "#68619",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("reconcile_state", "1.15.0", reconcile.reconcile_state_removing, "findContainerIDByName sees init containers",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("reconcile_state", "1.17.0", reconcile.reconcile_state_cleaning_and_adding, "#81344",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("reconcile_state", "1.18.0", reconcile.reconcile_state_removing_terminated, "#84300",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("reconcile_state", "1.18.4", reconcile.reconcile_state_telling_all, "#90377", f"{MANAGER_GO} reconcileState",
        "read"),
    Row("reconcile_state", "1.22.0-alpha.2", reconcile.reconcile_state_telling_changes,
        "#101771; in 1.22.0-alpha.3, not in 1.21.0", f"{MANAGER_GO} reconcileState", "read"),
    Row("policy_named", "1.13.0", new_manager.fall_back_to_none, "", f"{MANAGER_GO} NewManager", "read"),
    Row("policy_named", "1.14.5", new_manager.refuse_unknown_policy, "a pick of #80294", f"{MANAGER_GO} NewManager",
        "inferred"),
    Row("policy_named", "1.15.0", new_manager.fall_back_to_none, "so in 1.15.11", f"{MANAGER_GO} NewManager", "read"),
    Row("policy_named", "1.16.0", new_manager.refuse_unknown_policy, "#80294", f"{MANAGER_GO} NewManager", "read"),
    Row("initial_containers", "1.13.0", new_manager.no_initial_containers, "", f"{MANAGER_GO} Start", "read"),
    Row("initial_containers", "1.18.0", new_manager.initial_containers_from_runtime, "#84462", f"{MANAGER_GO} Start; "
        "cm/container_manager_linux.go buildContainerMapFromRuntime", "read"),
    Row("sidecars", "1.13.0", new_manager.know_no_sidecars, "", "pkg/apis/core", "read"),
    Row("sidecars", "1.28.0", new_manager.run_sidecars, "KEP-753, alpha in 1.28", "pkg/kubelet/kuberuntime", "read"),
)  # fmt: skip

LOCKING_ROWS: tuple[Row, ...] = (
    Row("manager_accesses", "1.13.0", locking.accesses_without_map, "", MANAGER_GO, "read"),
    Row("manager_accesses", "1.16.0", locking.accesses_of_policy_map, "#78762", f"{STATIC_GO} containerMap", "read"),
    Row("manager_accesses", "1.18.0", locking.accesses_reconciling_unlocked, "#84462", f"{MANAGER_GO} reconcileState",
        "read"),
    Row("manager_accesses", "1.18.4", locking.accesses_reconciling_unlocked_without_hooks, "#90377",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("manager_accesses", "1.18.15", locking.accesses_locked, "#97427, by its release note",
        f"{MANAGER_GO} reconcileState", "inferred"),
    Row("manager_accesses", "1.19.0", locking.accesses_reconciling_unlocked_without_hooks, "in 1.19.0-rc.1",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("manager_accesses", "1.19.7", locking.accesses_locked, "#97427, by its release note",
        f"{MANAGER_GO} reconcileState", "inferred"),
    Row("manager_accesses", "1.20.0", locking.accesses_reconciling_unlocked_without_hooks, "in the branch of 2020-11",
        f"{MANAGER_GO} reconcileState", "read"),
    Row("manager_accesses", "1.20.2", locking.accesses_locked, "#97427, by its release note",
        f"{MANAGER_GO} reconcileState", "inferred"),
    Row("manager_accesses", "1.21.0", locking.accesses_locked, "#97427", f"{MANAGER_GO} reconcileState", "read"),
)  # fmt: skip

HINT_ROWS: tuple[Row, ...] = (
    Row("hinted_entry", "1.13.0", policy_hints.hinted_entry_of_none, "",
        "pkg/kubelet/cm/cpumanager/topology_hints.go GetTopologyHints (1.16)", "read"),
    Row("hinted_entry", "1.17.0", policy_hints.hinted_entry_of_id, "not in 1.16", f"{STATIC_GO} GetTopologyHints",
        "read"),
    Row("hinted_entry", "1.18.0-alpha.1", policy_hints.hinted_entry, "#84462", f"{STATIC_GO} GetTopologyHints",
        "recorded"),
)  # fmt: skip

CPU_ROWS: tuple[Row, ...] = (
    *CPUSET_ROWS, *TOPOLOGY_ROWS, *ASSIGNMENT_ROWS, *CHECKPOINT_ROWS, *POLICY_ROWS, *MANAGER_ROWS, *LOCKING_ROWS,
    *HINT_ROWS,
)  # fmt: skip
