"""A container's exclusive CPUs are given back (Go: `RemoveContainer` in cpumanager/policy_static.go).

Pure functions; each whole operation runs under the manager's lock. `cpusToReuse` is never touched: CPUs given back here
are still offered to the pod's later containers.
"""

from model.cpu.cpuset import CPUSet
from model.cpu.policy.types import NO_CPUS, Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, delete, get_cpu_set, get_pod_assignments, set_default_cpu_set


def get_assigned_cpus_of_siblings(state: CPUManagerState, pod_uid: str, container: str) -> CPUSet:
    """The CPUs of the pod's other containers (`getAssignedCPUsOfSiblings`, from 1.24 on)."""
    return NO_CPUS.union(*(cpus for name, cpus in get_pod_assignments(state, pod_uid) if name != container))


def _release(state: CPUManagerState, memory: PolicyMemory, key: tuple[str, str], in_use: CPUSet = NO_CPUS) -> Change:
    """Drop the entry of `key`, if there is one, and put its CPUs, but those `in_use`, into the shared pool."""
    to_release = get_cpu_set(state, *key)
    if to_release is None:
        return Change(state, memory)
    deleted = delete(state, *key)
    released = set_default_cpu_set(deleted, deleted.default | (to_release - in_use))
    return Change(released, memory, (deleted, released))


def remove_container(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod_uid: str,
    container: str,
) -> Change:
    """Give back the container's CPUs except those that a container of its pod still has (#104837, 1.24 to 1.31).

    Stores, in this order: the state without the entry, then the larger shared pool. A container without entry: nothing
    happens. There is no error. (`pod_uid`, `container`): as in the state, so ("", container id) up to 1.17.
    """
    return _release(state, memory, (pod_uid, container), get_assigned_cpus_of_siblings(state, pod_uid, container))


def remove_container_freeing_all(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod_uid: str,
    container: str,
) -> Change:
    """The same of 1.18 to 1.23: all CPUs of an init container come free, those its app containers reuse included."""
    return _release(state, memory, (pod_uid, container))


def remove_container_by_id(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod_uid: str,
    container: str,
) -> Change:
    """The same of 1.13 to 1.17: `pod_uid` is "", `container` a container id, which 1.16 and 1.17 then forget."""
    return _release(state, memory.without_container(container), (pod_uid, container))
