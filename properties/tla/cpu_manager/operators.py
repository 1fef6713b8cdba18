"""Which operators of the modules of cpu-manager stand for which rules, and what else depends on a rule."""

from typing import Any

from model.cpu import manager, new_manager, reconcile, stale
from model.cpu.assignment import chained, packed, uncore
from model.cpu.policy import allocate, pods, remove, static, validate
from model.cpu.state import checkpoint, format as checkpoint_format
from model.systems.cpu_manager import CPUManagerRules
from properties.cpu_manager import catalogue
from properties.forms import Forms
from properties.tla.form import RuleConstant

# The operator of releases that report no allocatable CPUs.
_NOT_REPORTED = "AllocatableCPUsNotReported"
_ALLOCATABLE = RuleConstant.of(
    "AllocatableCPUsRule",
    "allocatable_cpus",
    {
        allocate.allocatable_cpus: "AllocatableCPUs",
        allocate.allocatable_cpus_free_now: "AllocatableCPUsFreeNow",
        allocate.allocatable_cpus_not_reported: _NOT_REPORTED,
    },
)

CONSTANTS = (
    RuleConstant.of(
        "AllocateRule",
        "allocate",
        {
            allocate.allocate: "AllocateReusing",
            allocate.allocate_returning_init_cpus: "AllocateReturningInitCPUs",
            catalogue.allocate_reserved: "AllocateReserved",
        },
    ),
    RuleConstant.of(
        "RemoveContainerRule",
        "remove_container",
        {
            remove.remove_container: "RemoveContainer",
            remove.remove_container_freeing_all: "RemoveContainerFreeingAll",
        },
    ),
    # Without strict-cpu-reservation, of which the modules say nothing, the two are the same.
    RuleConstant.of(
        "ValidateStateRule",
        "validate_state",
        dict.fromkeys([validate.validate_state, validate.validate_state_strictly], "ValidateState"),
    ),
    _ALLOCATABLE,
    RuleConstant.of(
        "ActivePodsRule",
        "active_pods",
        {
            manager.active_pods_not_terminal: "ActivePodsNotTerminal",
            manager.active_pods_with_workers: "ActivePodsWithWorkers",
        },
    ),
    RuleConstant.of(
        "StaleRule",
        "remove_stale_state",
        {
            stale.remove_stale_assignments: "StaleAssignments",
            stale.remove_stale_assignments_and_ids: "StaleAssignmentsAndIds",
        },
    ),
    RuleConstant.of(
        "ManagerAllocateRule",
        "manager_allocate",
        {
            manager.manager_allocate_as_it_is: "ManagerAllocateAsItIs",
            manager.manager_allocate_after_cleaning: "ManagerAllocateAfterCleaning",
            manager.manager_allocate_pending: "ManagerAllocatePending",
        },
    ),
    RuleConstant.of(
        "ManagerAddContainerRule",
        "manager_add_container",
        {
            manager.manager_add_container_updating: "AddContainerUpdating",
            manager.manager_add_container_mapping: "AddContainerMapping",
            manager.manager_add_container_noting: "AddContainerNoting",
        },
    ),
    RuleConstant.of(
        "PostStopContainerRule",
        "post_stop_container",
        {
            manager.post_stop_container_removing: "PostStopContainerRemoving",
            manager.post_stop_container_nothing: "PostStopContainerNothing",
        },
    ),
    RuleConstant.of(
        "ReconcileStateRule",
        "reconcile_state",
        {
            reconcile.reconcile_state_removing_terminated: "ReconcileRemovingTerminated",
            reconcile.reconcile_state_telling_all: "ReconcileTellingAll",
            reconcile.reconcile_state_telling_changes: "ReconcileTellingChanges",
        },
    ),
)

# Why a rule of a release has no operator.
WHY_NOT = Forms(
    "manager_allocate",
    {
        manager.manager_allocate_nothing: (
            "CpuManager.tla is for releases from 1.18 on: before, containers are known by their ids"
        ),
    },
)
# What the modules say once. Of these, the functions of a table differ in nothing that a state keeps.
SAID_ONCE = (
    Forms("reserve_cpus", dict.fromkeys([static.reserve_cpus])),
    Forms("guaranteed_cpus", dict.fromkeys([pods.guaranteed_cpus, pods.guaranteed_cpus_by_app_containers])),
    Forms("manager_remove_container", dict.fromkeys([manager.manager_remove_container_by_id])),
    Forms("initial_containers", dict.fromkeys([new_manager.initial_containers_from_runtime])),
    Forms("store_checkpoint", dict.fromkeys([checkpoint.store_v2])),
    Forms("get_checkpoint", dict.fromkeys([checkpoint.read_v1_then_v2, checkpoint.read_v2_then_v1])),
    Forms(
        "verify_checkpoint",
        dict.fromkeys([checkpoint_format.verify_checksum, checkpoint_format.verify_checksum_under_both_names]),
    ),
    Forms(
        "migrate_checkpoint",
        dict.fromkeys([checkpoint.migrate_v1_checkpoint_to_v2_checkpoint, checkpoint.migrate_v1_checkpoint_if_not_v2]),
    ),
)
# Whether TakeByTopology is right where CPUs of a core are offline.
TAKES_BESIDE_OFFLINE = Forms(
    "take_by_topology",
    {
        chained.take_by_topology_map_order: False,
        chained.take_by_topology_chained: False,
        packed.take_by_topology_ordered: True,
        packed.take_by_topology_numa_packed: True,
        packed.take_by_topology_numa_packed_counted: True,
        packed.take_by_topology_numa_packed_or_spread: True,
        uncore.take_by_topology_uncore_whole_cores: True,
        uncore.take_by_topology_uncore: True,
    },
)

# Every table that the form asks, but those for which a fix may bring an operator.
TABLES: tuple[Forms[Any], ...] = (*SAID_ONCE, TAKES_BESIDE_OFFLINE)


def reports_allocatable(rules: CPUManagerRules) -> bool:
    """Whether the release reports which CPUs are allocatable."""
    return not _ALLOCATABLE.operators.has(rules) or _ALLOCATABLE.operators.of(rules) != _NOT_REPORTED
