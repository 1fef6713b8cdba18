"""Which goroutine of the CPU manager touches which of its maps, under which locks: what no step of a model shows.

Go: pkg/kubelet/cm/cpumanager/cpu_manager.go, from 1.16 on also the containerMap in policy_static.go. Data read off the
sources, function by function. `state` and `lastUpdateState` are left out: their own mutex guards every access.
"""

from collections.abc import Callable

from attrs import frozen

from model.locks import Access, Accesses

M_LOCK = frozenset({"manager.Lock"})
NO_LOCK: frozenset[str] = frozenset()

SYNC_LOOP = "syncLoop"  # admission: Allocate, GetTopologyHints
POD_WORKER = "a pod worker"  # container hooks: there are many, so one may meet another
RECONCILE = "the reconcile loop"


def _of_container_map(reconcile: frozenset[str], hooks: bool) -> Accesses:
    """containerMap as `reconcileState` touches it under `reconcile`; `hooks`: containers' hooks remove from it."""
    removals = [
        Access("removeStaleState", goroutine, "containerMap", True, M_LOCK) for goroutine in (RECONCILE, SYNC_LOOP)
    ]
    if hooks:
        removals.append(Access("RemoveContainer", POD_WORKER, "containerMap", True, M_LOCK))
    return (
        *removals,
        Access("reconcileState", RECONCILE, "containerMap", False, reconcile),
        Access("reconcileState", RECONCILE, "containerMap", True, reconcile),
    )


def accesses_of_policy_map() -> Accesses:
    """1.16 and 1.17: containerMap belongs to the policy, and every call of the policy is made under the lock."""
    return tuple(
        Access(function, goroutine, "containerMap", True, M_LOCK)
        for function, goroutine in (
            ("AddContainer", POD_WORKER),
            ("AddContainer", RECONCILE),
            ("RemoveContainer", POD_WORKER),
            ("removeStaleState", RECONCILE),
        )
    )


def accesses_without_map() -> Accesses:
    """1.13 to 1.15: there is no such map."""
    return ()


def accesses_reconciling_unlocked() -> Accesses:
    """1.18.0: `reconcileState` looks into containerMap and adds to it without the lock; hooks remove from it."""
    return _of_container_map(NO_LOCK, hooks=True)


def accesses_reconciling_unlocked_without_hooks() -> Accesses:
    """From 1.18.4 on hooks remove nothing; `removeStaleState` on the sync loop still does."""
    return _of_container_map(NO_LOCK, hooks=False)


def accesses_locked() -> Accesses:
    """#97427: `reconcileState` takes the lock for it. From 1.21 on AddContainer adds to it, under the lock."""
    return (*_of_container_map(M_LOCK, hooks=False), Access("AddContainer", POD_WORKER, "containerMap", True, M_LOCK))


@frozen(slots=False, kw_only=True)
class LockingRules:
    """Who touches what under which locks in a release."""

    manager_accesses: Callable[[], Accesses]
