"""The static CPU policy's operations once more, on CPU sets as bit-vectors: bit i is CPU i of the machine.

Says the same as model/cpu/policy: allocate.py, remove.py and validate.py. What `takeByTopology` picks is an argument
here. Forms are found by the Python rule whose twin they are.
"""

from collections.abc import Callable

from attrs import frozen
from z3 import And, BitVecRef, BitVecVal, BoolRef, If, Not, Or

from model.cpu.policy import allocate as policy_allocate, remove as policy_remove, validate as policy_validate
from properties.forms import Forms

Available = Callable[[BitVecRef, BitVecRef, BitVecRef], BitVecRef]
PoolAfter = Callable[[BitVecRef, BitVecRef, BoolRef], BitVecRef]
Reuse = Callable[[BitVecRef, BitVecRef, BoolRef, BoolRef], BitVecRef]
Remove = Callable[[BitVecRef, BitVecRef, BitVecRef], BitVecRef]


def empty(width: int) -> BitVecRef:
    """No CPU."""
    return BitVecVal(0, width)


def subset(part: BitVecRef, whole: BitVecRef) -> BoolRef:
    """Each CPU of `part` is in `whole`."""
    return part & ~whole == 0


def apart(left: BitVecRef, right: BitVecRef) -> BoolRef:
    """No CPU is in both."""
    return left & right == 0


def where(condition: BoolRef, cpus: BitVecRef) -> BitVecRef:
    """`cpus` if `condition`, else none."""
    return If(condition, cpus, empty(cpus.size()))


# --- what may be taken: (shared pool, reserved, the pod's cpusToReuse) --------------------------------------------


def unreserved(default: BitVecRef, reserved: BitVecRef, reuse: BitVecRef) -> BitVecRef:
    """Up to 1.18.3: the shared CPUs that are not reserved."""
    return default & ~reserved


def unreserved_or_reused(default: BitVecRef, reserved: BitVecRef, reuse: BitVecRef) -> BitVecRef:
    """From 1.18.4 on also what the pod's init containers have used."""
    return default & ~reserved | reuse


# --- the shared pool after CPUs were taken: (shared pool, taken, it is an init container of any kind) ---------------


def without_taken(default: BitVecRef, taken: BitVecRef, init: BoolRef) -> BitVecRef:
    """What was taken is shared no more."""
    return default & ~taken


def returning_init(default: BitVecRef, taken: BitVecRef, init: BoolRef) -> BitVecRef:
    """1.18.0 to 1.18.3: an init container's CPUs are put back at once."""
    return default & ~taken | where(init, taken)


# --- cpusToReuse after a container got `cpus`: (before, cpus, it is an init container, it is a sidecar) -------------


def reuse_after(reuse: BitVecRef, cpus: BitVecRef, init: BoolRef, sidecar: BoolRef) -> BitVecRef:
    """From 1.29 on: an init container's come in, all others' go out."""
    return If(And(init, Not(sidecar)), reuse | cpus, reuse & ~cpus)


def reuse_after_sidecars(reuse: BitVecRef, cpus: BitVecRef, init: BoolRef, sidecar: BoolRef) -> BitVecRef:
    """Before: a sidecar's come in as well."""
    return If(init, reuse | cpus, reuse & ~cpus)


# --- the shared pool after a removal: (shared pool, the entry, the entries of the pod's other containers) -----------


def release_all(default: BitVecRef, entry: BitVecRef, siblings: BitVecRef) -> BitVecRef:
    """Up to 1.23: all its CPUs come free."""
    return default | entry


def release_unused(default: BitVecRef, entry: BitVecRef, siblings: BitVecRef) -> BitVecRef:
    """From 1.24 on: except for those that a container of its pod still has."""
    return default | (entry & ~siblings)


def validate_state(
    machine: BitVecRef, reserved: BitVecRef, default: BitVecRef, assigned: BitVecRef, entries: BoolRef
) -> BoolRef:
    """`validateState` accepts: `assigned` is the union of all entries, `entries` says that there are any.

    Where it accepts an empty pool, it makes it the whole machine.
    """
    checked = And(subset(reserved, default), apart(assigned, default), default | assigned == machine)
    return Or(And(default == 0, Not(entries)), And(default != 0, checked))


@frozen
class AllocateForm:
    """What an allocation does."""

    # What may be taken.
    available: Available
    # The shared pool afterwards.
    pool: PoolAfter
    # CPUs that a container gets, or has already, go through `update_cpus_to_reuse`.
    remembers: bool = False
    # Entries of the pod's init containers are removed first.
    removes_init: bool = False


@frozen
class RemoveForm:
    """What a removal does."""

    # The shared pool afterwards.
    pool: Remove
    # CPUs that another container of the pod has stay out of the shared pool.
    keeps_siblings: bool = False
    # Entries are known by container id: up to 1.17.
    by_id: bool = False


ALLOCATE = Forms(
    "allocate",
    {
        policy_allocate.add_container_by_id: AllocateForm(unreserved, without_taken),
        policy_allocate.add_container_removing_init: AllocateForm(unreserved, without_taken, removes_init=True),
        policy_allocate.allocate_returning_init_cpus: AllocateForm(unreserved, returning_init),
        policy_allocate.allocate: AllocateForm(unreserved_or_reused, without_taken, remembers=True),
    },
)
UPDATE_REUSE: Forms[Reuse] = Forms(
    "update_cpus_to_reuse",
    {
        policy_allocate.update_cpus_to_reuse: reuse_after,
        policy_allocate.update_cpus_to_reuse_of_sidecars: reuse_after_sidecars,
    },
)
REMOVE = Forms(
    "remove_container",
    {
        policy_remove.remove_container_by_id: RemoveForm(release_all, by_id=True),
        policy_remove.remove_container_freeing_all: RemoveForm(release_all),
        policy_remove.remove_container: RemoveForm(release_unused, keeps_siblings=True),
    },
)
# Two word their errors differently and accept the same; so does the third without strict-cpu-reservation.
VALIDATE = Forms(
    "validate_state",
    dict.fromkeys(
        [
            policy_validate.validate_state,
            policy_validate.validate_state_by_id,
            policy_validate.validate_state_strictly,
        ],
        validate_state,
    ),
)
