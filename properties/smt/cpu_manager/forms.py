"""What the formulas for runs of cpu-manager have to know of each rule: a table for each field.

The rules of 1.18 and later have a form. Before, containers are known by their ids, which no bit says.
"""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from model.cpu import manager, reconcile, stale
from model.cpu.policy import allocate, remove, validate
from properties.forms import Forms
from properties.smt.bits import Bit

CPUBits = list[Bit]


@frozen
class ManagerAllocateForm:
    """What `Allocate` of the manager does before it asks the policy."""

    # Stale state is removed.
    cleans: bool = False
    # The pod is noted as pending, before stale state is removed.
    notes: bool = False


@frozen
class AddContainerForm:
    """What `AddContainer` remembers."""

    # The containerMap learns the container.
    maps: bool = False
    # lastUpdateState learns the CPUs of an exclusive container.
    notes: bool = False


@frozen
class ReconcileForm:
    """What `reconcileState` does with a container."""

    # A container that has ended gives its CPUs back.
    removes_ended: bool = False
    # Only a container whose CPUs are not those of lastUpdateState is told.
    tells_changes: bool = False


@frozen
class AllocateForm:
    """What `Allocate` of the policy takes and gives back."""

    # A container may get what the pod's init containers had.
    reuses: bool = False
    # An init container's CPUs go back into the shared pool at once.
    returns_init: bool = False


def every_cpu(default: CPUBits) -> CPUBits:
    """All CPUs of the machine, whatever the shared pool has."""
    return [True] * len(default)


def shared_pool(default: CPUBits) -> CPUBits:
    """The CPUs of the shared pool."""
    return default


# The bits of a pod that `GetActivePods` has: any of these.
ACTIVE_PODS = Forms(
    "active_pods",
    {manager.active_pods_not_terminal: ("seen", "admitting"), manager.active_pods_with_workers: ("seen",)},
)
MANAGER_ALLOCATE = Forms(
    "manager_allocate",
    {
        manager.manager_allocate_as_it_is: ManagerAllocateForm(),
        manager.manager_allocate_after_cleaning: ManagerAllocateForm(cleans=True),
        manager.manager_allocate_pending: ManagerAllocateForm(cleans=True, notes=True),
    },
)
MANAGER_ADD_CONTAINER = Forms(
    "manager_add_container",
    {
        manager.manager_add_container_updating: AddContainerForm(),
        manager.manager_add_container_mapping: AddContainerForm(maps=True),
        manager.manager_add_container_noting: AddContainerForm(maps=True, notes=True),
    },
)
# Whether the id is looked up in the containerMap.
MANAGER_REMOVE_CONTAINER = Forms("manager_remove_container", {manager.manager_remove_container_by_id: True})
# Whether a container that stops gives its CPUs back.
POST_STOP_CONTAINER = Forms(
    "post_stop_container",
    {manager.post_stop_container_removing: True, manager.post_stop_container_nothing: False},
)
# The bits by which a container is found that may be stale, one after the other.
REMOVE_STALE_STATE = Forms(
    "remove_stale_state",
    {stale.remove_stale_assignments: ("entry",), stale.remove_stale_assignments_and_ids: ("entry", "mapped")},
)
RECONCILE_STATE = Forms(
    "reconcile_state",
    {
        reconcile.reconcile_state_removing_terminated: ReconcileForm(removes_ended=True),
        reconcile.reconcile_state_telling_all: ReconcileForm(),
        reconcile.reconcile_state_telling_changes: ReconcileForm(tells_changes=True),
    },
)
ALLOCATE = Forms(
    "allocate",
    {
        allocate.allocate: AllocateForm(reuses=True),
        allocate.allocate_returning_init_cpus: AllocateForm(returns_init=True),
    },
)
# The first letters of the containers whose CPUs may be used again: init containers, sidecars.
UPDATE_CPUS_TO_REUSE = Forms(
    "update_cpus_to_reuse",
    {allocate.update_cpus_to_reuse: "i", allocate.update_cpus_to_reuse_of_sidecars: "is"},
)
# Whether CPUs that a container of the same pod has stay out of the shared pool.
REMOVE_CONTAINER = Forms(
    "remove_container", {remove.remove_container: True, remove.remove_container_freeing_all: False}
)
# Without strict-cpu-reservation the two are the same.
VALIDATE_STATE = Forms(
    "validate_state", dict.fromkeys([validate.validate_state, validate.validate_state_strictly], True)
)
# The CPUs of which the unreserved ones are reported, by the shared pool; None: none are reported.
ALLOCATABLE_CPUS: Forms[Callable[[CPUBits], CPUBits] | None] = Forms(
    "allocatable_cpus",
    {
        allocate.allocatable_cpus: every_cpu,
        allocate.allocatable_cpus_free_now: shared_pool,
        allocate.allocatable_cpus_not_reported: None,
    },
)

RUNS: tuple[Forms[Any], ...] = (
    ACTIVE_PODS,
    MANAGER_ALLOCATE,
    MANAGER_ADD_CONTAINER,
    MANAGER_REMOVE_CONTAINER,
    POST_STOP_CONTAINER,
    REMOVE_STALE_STATE,
    RECONCILE_STATE,
    ALLOCATE,
    UPDATE_CPUS_TO_REUSE,
    REMOVE_CONTAINER,
    VALIDATE_STATE,
    ALLOCATABLE_CPUS,
)
# The formulas have what these functions give, as tables or numbers.
CALLED = frozenset({"take_by_topology", "guaranteed_cpus", "sidecars", "reserve_cpus"})
