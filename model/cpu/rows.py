"""Which release follows which rule of the CPU manager's components.

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
    Row("parse_cpuset", "1.13.0", cpuset.parse_skipping_odd_parts, "", f"{CPUSET_GO} Parse"),
    Row("parse_cpuset", "1.22.0-alpha.2", cpuset.parse_refusing_ge_ranges,
        "#100565; not in 1.22.0-alpha.1, in 1.22.0-alpha.3", f"{CPUSET_GO} Parse"),
    Row("parse_cpuset", "1.27.0-alpha.2", cpuset.parse_refusing_empty_ranges,
        "the error says >; not in 1.27.0-alpha.1, in 1.27.0", f"{CPUSET_GO} Parse"),
)  # fmt: skip

STATE_GO = "pkg/kubelet/cm/cpumanager/state"

CHECKPOINT_ROWS: tuple[Row, ...] = (
    Row("store_checkpoint", "1.13.0", checkpoint.store_v1, "", f"{STATE_GO}/state_checkpoint.go storeState"),
    Row("store_checkpoint", "1.18.0-alpha.1", checkpoint.store_v2, "#84462",
        f"{STATE_GO}/state_checkpoint.go storeState"),
    Row("get_checkpoint", "1.13.0", checkpoint.read_v1, "", f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("get_checkpoint", "1.18.0-alpha.1", checkpoint.read_v1_then_v2, "#84462",
        f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("verify_checkpoint", "1.13.0", checkpoint_format.verify_checksum, "#86689 keeps it so for version 1",
        f"{STATE_GO}/checkpoint.go VerifyChecksum"),
    Row("migrate_checkpoint", "1.13.0", checkpoint.keep_container_ids,
        "", f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("migrate_checkpoint", "1.18.0-alpha.1", checkpoint.migrate_v1_checkpoint_to_v2_checkpoint, "#84462",
        f"{STATE_GO}/state_checkpoint.go migrateV1CheckpointToV2Checkpoint"),
    Row("container_in_text", "1.13.0", checkpoint.named_by_id, "", f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("container_in_text", "1.18.0-alpha.1", checkpoint.named_in_pod, "#84462",
        f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("not_restored_text", "1.13.0", checkpoint.not_restored_two_lines, "",
        f"{STATE_GO}/state_checkpoint.go NewCheckpointState"),
    Row("not_restored_text", "1.18.0-alpha.1", checkpoint.not_restored_one_line, "not in 1.17.9",
        f"{STATE_GO}/state_checkpoint.go NewCheckpointState"),
)  # fmt: skip

TOPOLOGY_GO = "pkg/kubelet/cm/cpumanager/topology/topology.go"

TOPOLOGY_ROWS: tuple[Row, ...] = (
    Row("discover", "1.13.0", discover.discover_nodes_as_sockets, "", f"{TOPOLOGY_GO} Discover"),
    Row("discover", "1.19.9", discover.discover, "#90980 by #99276, #99464 by #99771; not in 1.19.8",
        f"{TOPOLOGY_GO} Discover"),
    Row("discover", "1.20.0-alpha.1", discover.discover_counting_nodes, "#90980", f"{TOPOLOGY_GO} Discover"),
    Row("discover", "1.20.5", discover.discover, "#99464 by #99493; not in 1.20.4", f"{TOPOLOGY_GO} Discover"),
    Row("discover", "1.21.0-alpha.1", discover.discover_counting_nodes, "#90980", f"{TOPOLOGY_GO} Discover"),
    Row("discover", "1.21.0-beta.1", discover.discover, "#99464; not in 1.21.0-beta.0", f"{TOPOLOGY_GO} Discover"),
)  # fmt: skip

ASSIGNMENT_GO = "pkg/kubelet/cm/cpumanager/cpu_assignment.go"

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
        "#121059; in 1.29.0-alpha.3, not in 1.29.0-alpha.1", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked"),
    Row("take_by_topology", "1.31.0-beta.0", assignment_packed.take_by_topology_numa_packed_or_spread,
        "#123733; not in 1.31.0-alpha.2", f"{ASSIGNMENT_GO} takeByTopologyNUMAPacked"),
    Row("take_by_topology_numa_distributed", "1.13.0", assignment.distribute_unknown, "",
        f"{ASSIGNMENT_GO} takeByTopology"),
    Row("take_by_topology_numa_distributed", "1.23.0-alpha.4",
        assignment_distributed_first.take_by_topology_numa_distributed_first,
        "#105631 (release note of 1.23.0-alpha.4)",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed"),
    Row("take_by_topology_numa_distributed", "1.23.1", assignment_distributed.take_by_topology_numa_distributed,
        "#106599 by #106953; not in 1.23.0",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed"),
    Row("take_by_topology_numa_distributed", "1.24.0-alpha.1", assignment_distributed.take_by_topology_numa_distributed,
        "#106599; in 1.24.0-alpha.2", f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed"),
    Row("take_by_topology_numa_distributed", "1.29.0-alpha.2",
        assignment_distributed.take_by_topology_numa_distributed_counted,
        "#121059; in 1.29.0-alpha.3, not in 1.29.0-alpha.1",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed"),
    Row("take_by_topology_numa_distributed", "1.31.0-beta.0",
        assignment_distributed.take_by_topology_numa_distributed_or_spread, "#123733; not in 1.31.0-alpha.2",
        f"{ASSIGNMENT_GO} takeByTopologyNUMADistributed"),
)  # fmt: skip

STATIC_GO = "pkg/kubelet/cm/cpumanager/policy_static.go"
HINTS_GO = "pkg/kubelet/cm/cpumanager/topology_hints.go"
OPTIONS_GO = "pkg/kubelet/cm/cpumanager/policy_options.go"

POLICY_ROWS: tuple[Row, ...] = (
    Row("guaranteed_cpus", "1.13.0", policy_pods.guaranteed_cpus_by_app_containers, "",
        "pkg/apis/core/v1/helper/qos/qos.go GetPodQOS"),
    Row("guaranteed_cpus", "1.16.0", policy_pods.guaranteed_cpus,
        "init containers count for the QoS class; not in 1.15",
        "pkg/apis/core/v1/helper/qos/qos.go GetPodQOS"),
    Row("pod_guaranteed_cpus", "1.13.0", policy_pods.pod_guaranteed_cpus_without_sidecars,
        "asked for from 1.20 on", f"{STATIC_GO} guaranteedCPUs"),
    Row("pod_guaranteed_cpus", "1.29.0-alpha.3", policy_pods.pod_guaranteed_cpus,
        "#119447; not in 1.29.0-alpha.1, nor in 1.28.14",
        f"{STATIC_GO} podGuaranteedCPUs"),
    Row("static_policy_options", "1.13.0", policy_options.no_options, "", f"{STATIC_GO} NewStaticPolicy"),
    Row("static_policy_options", "1.22.0", policy_options.full_pcpus_option, "not in 1.22.0-beta.1",
        f"{OPTIONS_GO} NewStaticPolicyOptions"),
    Row("static_policy_options", "1.23.0-alpha.4", policy_options.gated_options,
        "#105012, #105631 (release note of 1.23.0-alpha.4)",
        f"{OPTIONS_GO} CheckPolicyOptionAvailable"),
    Row("static_policy_options", "1.25.0-beta.0", policy_options.gated_options_with_sockets,
        "#111278 (release note of 1.25.0-beta.0)",
        f"{OPTIONS_GO} NewStaticPolicyOptions"),
    Row("static_policy_options", "1.31.0-beta.0", policy_options.gated_options_with_cores,
        "#123733; not in 1.31.0-alpha.2", f"{OPTIONS_GO} NewStaticPolicyOptions"),
    Row("validate_static_policy_options", "1.13.0", policy_options.accept_options, "",
        f"{STATIC_GO} NewStaticPolicy"),
    Row("validate_static_policy_options", "1.25.0-beta.0", policy_options.validate_static_policy_options,
        "#111278 (release note of 1.25.0-beta.0)",
        f"{OPTIONS_GO} ValidateStaticPolicyOptions"),
    Row("reserve_cpus", "1.13.0", policy.reserve_number_or_panic, "", f"{STATIC_GO} NewStaticPolicy"),
    Row("reserve_cpus", "1.17.0", policy.reserve_cpus_or_panic, "#83592; not in 1.16",
        f"{STATIC_GO} NewStaticPolicy"),
    Row("reserve_cpus", "1.18.0-alpha.3", policy.reserve_cpus,
        "an error, no panic; after January 20, 2020, before January 29",
        f"{STATIC_GO} NewStaticPolicy"),
    Row("reserved_physical_cpus", "1.13.0", policy.reserved_cpus_alone, "", f"{STATIC_GO} NewStaticPolicy"),
    Row("reserved_physical_cpus", "1.27.0", policy.reserved_physical_cpus, "#114114; not in 1.27.0-alpha.1",
        f"{STATIC_GO} NewStaticPolicy"),
    Row("validate_state", "1.13.0", policy_validate.validate_state_by_id, "", f"{STATIC_GO} validateState"),
    Row("validate_state", "1.18.0-alpha.1", policy_validate.validate_state,
        "#84462 keys the state by pod and container", f"{STATIC_GO} validateState"),
    Row("report_at_start", "1.13.0", policy_validate.panic_at_start, "", f"{STATIC_GO} Start"),
    Row("report_at_start", "1.18.0-alpha.3", policy_validate.return_at_start,
        "after January 20, 2020, before January 29", f"{STATIC_GO} Start"),
    Row("allocatable_cpus", "1.13.0", policy_allocate.allocatable_cpus_not_reported, "not reported",
        f"{STATIC_GO} assignableCPUs"),
    Row("allocatable_cpus", "1.21.0-rc.0", policy_allocate.allocatable_cpus_free_now,
        "#95734 (release note of 1.21.0-rc.0); not in 1.21.0-beta.1", f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.23.14", policy_allocate.allocatable_cpus,
        "#112913 by #113422 (release note of 1.23.14)", f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.24.0-alpha.0", policy_allocate.allocatable_cpus_free_now, "#112913 comes with 1.24.8",
        f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.24.8", policy_allocate.allocatable_cpus, "#112913 by #113421 (release note of 1.24.8)",
        f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.25.0-alpha.0", policy_allocate.allocatable_cpus_free_now, "#112913 comes with 1.25.4",
        f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.25.4", policy_allocate.allocatable_cpus, "#112913 by #113420 (release note of 1.25.4)",
        f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.26.0-alpha.0", policy_allocate.allocatable_cpus_free_now,
        "#112913 comes before 1.26.0-rc.1", f"{STATIC_GO} GetAllocatableCPUs"),
    Row("allocatable_cpus", "1.26.0-alpha.3", policy_allocate.allocatable_cpus,
        "#112913, before October 28, 2022; in 1.26.0-rc.1", f"{STATIC_GO} GetAllocatableCPUs"),
    Row("smt_alignment_error", "1.13.0", policy_allocate.smt_multiple_error, "the option comes with 1.22",
        f"{STATIC_GO} AddContainer"),
    Row("smt_alignment_error", "1.27.0", policy_allocate.smt_alignment_error, "#114114; not in 1.27.0-alpha.1",
        f"{STATIC_GO} Allocate"),
    Row("update_cpus_to_reuse", "1.13.0", policy_allocate.update_cpus_to_reuse_of_sidecars, "called from 1.18.4 on",
        f"{STATIC_GO} AddContainer"),
    Row("update_cpus_to_reuse", "1.29.0-alpha.3", policy_allocate.update_cpus_to_reuse,
        "#119447; not in 1.29.0-alpha.1, nor in 1.28.14",
        f"{STATIC_GO} updateCPUsToReuse"),
    Row("allocate", "1.13.0", policy_allocate.add_container_by_id, "", f"{STATIC_GO} AddContainer"),
    Row("allocate", "1.16.0", policy_allocate.add_container_removing_init, "#78762; not in 1.15.4",
        f"{STATIC_GO} AddContainer"),
    # Not what 1.18.0-alpha.1 to 1.18.0-beta.1 do: they take CPUs when the container starts, by pod and container.
    Row("allocate", "1.18.0-alpha.1", policy_allocate.allocate_returning_init_cpus,
        "#84462 keys the state by pod and container; #87759 takes CPUs at admission from 1.18.0-beta.2 on",
        f"{STATIC_GO} AddContainer"),
    Row("allocate", "1.18.4", policy_allocate.allocate, "#90419 by #90529; not in 1.18.3", f"{STATIC_GO} Allocate"),
    Row("allocate", "1.19.0-alpha.0", policy_allocate.allocate_returning_init_cpus, "#90419 comes with 1.19.0-alpha.3",
        f"{STATIC_GO} Allocate"),
    Row("allocate", "1.19.0-alpha.3", policy_allocate.allocate, "#90419 (release note of 1.19.0-alpha.3)",
        f"{STATIC_GO} Allocate"),
    Row("remove_container", "1.13.0", policy_remove.remove_container_by_id, "", f"{STATIC_GO} RemoveContainer"),
    Row("remove_container", "1.18.0-alpha.1", policy_remove.remove_container_freeing_all,
        "#84462 keys the state by pod and container", f"{STATIC_GO} RemoveContainer"),
    Row("remove_container", "1.24.0-alpha.2", policy_remove.remove_container,
        "#104837 (release note of 1.24.0-alpha.2); not in 1.23.17",
        f"{STATIC_GO} RemoveContainer"),
    Row("generate_cpu_topology_hints", "1.13.0", policy_hints.no_hints, "", f"{STATIC_GO} NewStaticPolicy"),
    Row("generate_cpu_topology_hints", "1.16.0", policy_hints.hints_ignoring_reuse, "",
        f"{HINTS_GO} generateCPUTopologyHints"),
    Row("generate_cpu_topology_hints", "1.18.7", policy_hints.hints_on_fewest_sockets,
        "#93189 (release note of 1.18.7)", f"{STATIC_GO} generateCPUTopologyHints"),
    Row("generate_cpu_topology_hints", "1.19.0-alpha.0", policy_hints.hints_ignoring_reuse,
        "#93189 comes after July 17, 2020", f"{STATIC_GO} generateCPUTopologyHints"),
    Row("generate_cpu_topology_hints", "1.19.0-rc.3", policy_hints.hints_on_fewest_sockets, "#93189",
        f"{STATIC_GO} generateCPUTopologyHints"),
    Row("generate_cpu_topology_hints", "1.19.9", policy_hints.generate_cpu_topology_hints,
        "#90980 by #99276; not in 1.19.8", f"{STATIC_GO} generateCPUTopologyHints"),
    Row("generate_cpu_topology_hints", "1.20.0-alpha.1", policy_hints.generate_cpu_topology_hints, "#90980",
        f"{STATIC_GO} generateCPUTopologyHints"),
)  # fmt: skip

MANAGER_GO = "pkg/kubelet/cm/cpumanager/cpu_manager.go"
LIFECYCLE_GO = "pkg/kubelet/cm/internal_container_lifecycle.go"
PODS_GO = "pkg/kubelet/kubelet_pods.go"

MANAGER_ROWS: tuple[Row, ...] = (
    Row("active_pods", "1.13.0", manager.active_pods_not_terminal, "", f"{PODS_GO} filterOutTerminatedPods"),
    Row("active_pods", "1.22.0-beta.2", manager.active_pods_with_workers,
        "#102344 (release note of 1.22.0-beta.2); not in 1.22.0-beta.1", f"{PODS_GO} filterOutTerminatedPods"),
    Row("active_pods", "1.22.2", manager.active_pods_not_terminal, "#104577 by #104665; not in 1.22.1",
        f"{PODS_GO} filterOutTerminatedPods"),
    Row("active_pods", "1.23.0-alpha.0", manager.active_pods_with_workers, "#104577 comes with 1.23.0-alpha.2",
        f"{PODS_GO} filterOutTerminatedPods"),
    Row("active_pods", "1.23.0-alpha.2", manager.active_pods_not_terminal,
        "#104577 (release note of 1.23.0-alpha.2)", f"{PODS_GO} filterOutInactivePods"),
    Row("manager_allocate", "1.13.0", manager.manager_allocate_nothing, "", f"{MANAGER_GO} AddContainer"),
    Row("manager_allocate", "1.18.0-beta.2", manager.manager_allocate_as_it_is,
        "#87759 (release note of 1.18.0-beta.2)", f"{MANAGER_GO} Allocate"),
    Row("manager_allocate", "1.18.4", manager.manager_allocate_after_cleaning, "#90377 by #90530; not in 1.18.3",
        f"{MANAGER_GO} Allocate"),
    Row("manager_allocate", "1.19.0-alpha.0", manager.manager_allocate_as_it_is, "#90377 comes with 1.19.0-alpha.3",
        f"{MANAGER_GO} Allocate"),
    Row("manager_allocate", "1.19.0-alpha.3", manager.manager_allocate_after_cleaning,
        "#90377 (release note of 1.19.0-alpha.3)", f"{MANAGER_GO} Allocate"),
    Row("manager_allocate", "1.22.1", manager.manager_allocate_pending, "#103979 by #104267; not in 1.22.0",
        f"{MANAGER_GO} Allocate, setPodPendingAdmission"),
    Row("manager_add_container", "1.13.0", manager.manager_add_container_taking_cpus, "", f"{MANAGER_GO} AddContainer"),
    Row("manager_add_container", "1.18.0-beta.2", manager.manager_add_container_updating,
        "#87759 (release note of 1.18.0-beta.2)", f"{MANAGER_GO} AddContainer"),
    Row("manager_add_container", "1.21.0-beta.0", manager.manager_add_container_mapping, "#98019; not in 1.20.10",
        f"{MANAGER_GO} AddContainer"),
    Row("manager_add_container", "1.22.0-alpha.2", manager.manager_add_container_noting,
        "#101771; in 1.22.0-alpha.3, not in 1.22.0-alpha.1", f"{MANAGER_GO} AddContainer"),
    Row("manager_remove_container", "1.13.0", manager.manager_remove_container_by_key, "",
        f"{MANAGER_GO} RemoveContainer"),
    Row("manager_remove_container", "1.18.0-alpha.1", manager.manager_remove_container_by_id, "#84462",
        f"{MANAGER_GO} policyRemoveContainerByID"),
    Row("post_stop_container", "1.13.0", manager.post_stop_container_removing, "",
        f"{LIFECYCLE_GO} PostStopContainer"),
    Row("post_stop_container", "1.18.4", manager.post_stop_container_nothing, "#90377 by #90530; not in 1.18.3",
        f"{LIFECYCLE_GO} PostStopContainer"),
    Row("post_stop_container", "1.19.0-alpha.0", manager.post_stop_container_removing,
        "#90377 comes with 1.19.0-alpha.3", f"{LIFECYCLE_GO} PostStopContainer"),
    Row("post_stop_container", "1.19.0-alpha.3", manager.post_stop_container_nothing,
        "#90377 (release note of 1.19.0-alpha.3)", f"{LIFECYCLE_GO} PostStopContainer"),
    Row("remove_stale_state", "1.13.0", stale.remove_stale_state_never, "", f"{MANAGER_GO} reconcileState"),
    Row("remove_stale_state", "1.17.0", stale.remove_stale_state_by_id, "#81344",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.18.0-alpha.1", stale.remove_stale_assignments, "#84462",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.21.13", stale.remove_stale_assignments_and_ids,
        "#109103 by #109158 (approved 2022-04-28, after 1.21.12)",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.22.0-alpha.0", stale.remove_stale_assignments, "#109103 comes with 1.22.10",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.22.10", stale.remove_stale_assignments_and_ids,
        "#109103 by #109157 (approved 2022-04-28, after 1.22.9); in 1.22.17, not in 1.22.6",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.23.0-alpha.0", stale.remove_stale_assignments, "#109103 comes with 1.23.8",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.23.8", stale.remove_stale_assignments_and_ids,
        "#109103 by #109156 (released for merging on 2022-05-31, after 1.23.7); in 1.23.13, not in 1.23.1",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.24.0-alpha.0", stale.remove_stale_assignments, "#109103 comes with 1.24.2",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.24.2", stale.remove_stale_assignments_and_ids,
        "#109103 by #110307 (approved 2022-05-31, after 1.24.1); in 1.24.10, not in 1.24.0",
        f"{MANAGER_GO} removeStaleState"),
    Row("remove_stale_state", "1.25.0-alpha.1", stale.remove_stale_assignments_and_ids,
        "#109103; in 1.25.0-alpha.2, not in 1.25.0-alpha.0", f"{MANAGER_GO} removeStaleState"),
    Row("reconcile_state", "1.13.0", reconcile.reconcile_state_adding, "", f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.14.0", reconcile.reconcile_state_removing_without_init, "#68619",
        f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.15.0", reconcile.reconcile_state_removing, "findContainerIDByName sees init containers",
        f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.17.0", reconcile.reconcile_state_cleaning_and_adding, "#81344",
        f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.18.0-alpha.3", reconcile.reconcile_state_removing_terminated,
        "#84300, after January 20, 2020, before January 29", f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.18.4", reconcile.reconcile_state_telling_all, "#90377 by #90530; not in 1.18.3",
        f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.19.0-alpha.0", reconcile.reconcile_state_removing_terminated,
        "#90377 comes with 1.19.0-alpha.3", f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.19.0-alpha.3", reconcile.reconcile_state_telling_all,
        "#90377 (release note of 1.19.0-alpha.3)", f"{MANAGER_GO} reconcileState"),
    Row("reconcile_state", "1.22.0-alpha.2", reconcile.reconcile_state_telling_changes,
        "#101771; in 1.22.0-alpha.3, not in 1.22.0-alpha.1", f"{MANAGER_GO} reconcileState"),
    Row("policy_named", "1.13.0", new_manager.fall_back_to_none, "", f"{MANAGER_GO} NewManager"),
    Row("policy_named", "1.16.0-alpha.2", new_manager.refuse_unknown_policy,
        "#80294 (release note of 1.16.0-alpha.2)", f"{MANAGER_GO} NewManager"),
    Row("initial_containers", "1.13.0", new_manager.no_initial_containers, "", f"{MANAGER_GO} Start"),
    Row("initial_containers", "1.18.0-alpha.1", new_manager.initial_containers_from_runtime, "#84462",
        f"{MANAGER_GO} Start"),
    Row("sidecars", "1.13.0", new_manager.know_no_sidecars, "", "pkg/features/kube_features.go init"),
    Row("sidecars", "1.28.0", new_manager.run_sidecars, "KEP-753, alpha in 1.28",
        "pkg/features/kube_features.go SidecarContainers"),
)  # fmt: skip

LOCKING_ROWS: tuple[Row, ...] = (
    Row("manager_accesses", "1.13.0", locking.accesses_without_map, "", f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.16.0", locking.accesses_of_policy_map, "#78762", f"{STATIC_GO} AddContainer"),
    Row("manager_accesses", "1.18.0-alpha.1", locking.accesses_reconciling_unlocked, "#84462",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.18.4", locking.accesses_reconciling_unlocked_without_hooks,
        "#90377 by #90530; not in 1.18.3",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.18.15", locking.accesses_locked, "#97427 (release note of 1.18.15); not in 1.18.13",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.19.0-alpha.0", locking.accesses_reconciling_unlocked, "#90377 comes with 1.19.0-alpha.3",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.19.0-alpha.3", locking.accesses_reconciling_unlocked_without_hooks,
        "#90377 (release note of 1.19.0-alpha.3)",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.19.7", locking.accesses_locked, "#97427 (release note of 1.19.7); not in 1.19.5",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.20.0-alpha.0", locking.accesses_reconciling_unlocked_without_hooks,
        "#97427 comes with 1.20.2",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.20.2", locking.accesses_locked, "#97427 by #97529; not in 1.20.1",
        f"{MANAGER_GO} reconcileState"),
    Row("manager_accesses", "1.21.0-alpha.1", locking.accesses_locked, "#97427",
        f"{MANAGER_GO} reconcileState"),
)  # fmt: skip

HINT_ROWS: tuple[Row, ...] = (
    Row("hinted_entry", "1.13.0", policy_hints.hinted_entry_of_none, "",
        f"{MANAGER_GO} NewManager"),
    Row("hinted_entry", "1.17.0", policy_hints.hinted_entry_of_id, "not in 1.16", f"{STATIC_GO} GetTopologyHints"),
    Row("hinted_entry", "1.18.0-alpha.1", policy_hints.hinted_entry, "#84462", f"{STATIC_GO} GetTopologyHints"),
)  # fmt: skip

CPU_ROWS: tuple[Row, ...] = (
    *CPUSET_ROWS, *TOPOLOGY_ROWS, *ASSIGNMENT_ROWS, *CHECKPOINT_ROWS, *POLICY_ROWS, *MANAGER_ROWS, *LOCKING_ROWS,
    *HINT_ROWS,
)  # fmt: skip
