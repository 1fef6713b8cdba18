"""What the CPU manager remembers: the shared pool and each container's exclusive CPUs (Go: state/state_mem.go).

Frozen data and pure functions. From 1.18 on a container is known by its pod's UID and its name; up to 1.17 by its
container id, and then the pod is "". What one function here does is one critical section of the Go state's mutex.
"""

from collections.abc import Iterable

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.evolve import evolve

ContainerKey = tuple[str, str]
Assignments = tuple[tuple[ContainerKey, CPUSet], ...]


@frozen(cache_hash=True)
class CPUManagerState:
    """The state of the CPU manager (Go: stateMemory).

    A pod without a container is not kept. Only a file that the kubelet did not write can have such a pod.
    """

    # The CPUs of the shared pool.
    default: CPUSet = frozenset()
    # The exclusive CPUs of each (pod, container), ascending by this key. No key is there twice.
    assignments: Assignments = ()


def sorted_assignments(
    assignments: Iterable[tuple[ContainerKey, CPUSet]],
) -> Assignments:
    """`assignments` in the order in which a state keeps them; of several for one key the last holds."""
    return tuple(sorted(dict(assignments).items(), key=lambda item: item[0]))


def get_cpu_set(state: CPUManagerState, pod: str, container: str) -> CPUSet | None:
    """The container's exclusive CPUs; None if it has no entry (an entry may be empty). Go: GetCPUSet."""
    for key, cpus in state.assignments:
        if key == (pod, container):
            return cpus
    return None


def get_cpu_set_or_default(state: CPUManagerState, pod: str, container: str) -> CPUSet:
    """The CPUs that the container is to run on. Go: GetCPUSetOrDefault."""
    cpus = get_cpu_set(state, pod, container)
    return state.default if cpus is None else cpus


def get_pod_assignments(state: CPUManagerState, pod: str) -> tuple[tuple[str, CPUSet], ...]:
    """(container, CPUs) of each entry of `pod`, ascending by name. Go: GetCPUAssignments()[podUID]."""
    return tuple((container, cpus) for (owner, container), cpus in state.assignments if owner == pod)


def assigned_cpus(state: CPUManagerState) -> CPUSet:
    """Every CPU that is in some entry."""
    return frozenset().union(*(cpus for _, cpus in state.assignments))


def set_cpu_set(state: CPUManagerState, pod: str, container: str, cpus: CPUSet) -> CPUManagerState:
    """The container's entry is `cpus` from now on, whatever the shared pool holds. Go: SetCPUSet."""
    return evolve(state, assignments=sorted_assignments((*state.assignments, ((pod, container), cpus))))


def set_default_cpu_set(state: CPUManagerState, cpus: CPUSet) -> CPUManagerState:
    """The shared pool is `cpus` from now on. Go: SetDefaultCPUSet."""
    return evolve(state, default=cpus)


def set_cpu_assignments(state: CPUManagerState, assignments: Iterable[tuple[ContainerKey, CPUSet]]) -> CPUManagerState:
    """All entries are replaced. Go: SetCPUAssignments."""
    return evolve(state, assignments=sorted_assignments(assignments))


def delete(state: CPUManagerState, pod: str, container: str) -> CPUManagerState:
    """The container's entry is dropped; its CPUs go nowhere by that. No entry: nothing changes. Go: Delete."""
    return evolve(state, assignments=tuple(item for item in state.assignments if item[0] != (pod, container)))


def clear_state() -> CPUManagerState:
    """Nothing remembered. Go: ClearState; NewMemoryState is the same."""
    return CPUManagerState()
