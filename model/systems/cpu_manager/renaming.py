"""A state of cpu-manager under other names: pods called otherwise, CPUs numbered otherwise.

Components of a state are renamed one by one and remembered, as exploring meets each of them in many states.
"""

from functools import lru_cache

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.cpu.manager import Manager
from model.cpu.policy.types import PolicyMemory
from model.cpu.state.state import CPUManagerState, sorted_assignments
from model.evolve import evolve
from model.systems.cpu_manager.records import Checkpoint, CPUManagerSystem, Kubelet, Pod
from model.variables import Places, Series

# Components that a cache keeps, each some hundred bytes.
REMEMBERED = 1 << 17


@frozen(cache_hash=True)
class Renaming:
    """Other names for pods and CPUs."""

    # The new place of each pod. The place of p1 is 0.
    pods: tuple[int, ...]
    # The new number of each CPU; (): each CPU keeps its number.
    cpus: tuple[int, ...] = ()

    def pod(self, name: str) -> str:
        return f"p{self.pods[int(name[1:]) - 1] + 1}"

    def container_id(self, old: str) -> str:
        """An id begins with the pod. A name alone, where rules do not go together, is of no pod."""
        pod, slash, rest = old.partition("/")
        return self.pod(pod) + slash + rest if slash else old

    def ref(self, old: tuple[str, str]) -> tuple[str, str]:
        """A key of the state: (pod, container), and up to 1.17 ("", container id)."""
        return (self.pod(old[0]), old[1]) if old[0] else ("", self.container_id(old[1]))

    def set(self, old: CPUSet) -> CPUSet:
        return frozenset(self.cpus[cpu] for cpu in old) if self.cpus else old


def renamed(state: CPUManagerSystem, by: Renaming) -> CPUManagerSystem:
    """`state` under the renaming, except for the text of the kubelet's error."""
    pods = [_pod(pod, by) for pod in state.pods] if by.cpus else list(state.pods)
    placed = list(pods)
    for old, new in enumerate(by.pods):
        placed[new] = pods[old]
    file = None if state.file is None else _file(state.file, by)
    return CPUManagerSystem(state.node, file, _kubelet(state.kubelet, by), Places(placed), state.used)


@lru_cache(maxsize=REMEMBERED)
def _pod(pod: Pod, by: Renaming) -> Pod:
    return evolve(pod, containers=Series(evolve(each, cpus=by.set(each.cpus)) for each in pod.containers))


@lru_cache(maxsize=REMEMBERED)
def _file(file: Checkpoint, by: Renaming) -> Checkpoint:
    entries = sorted_assignments((by.ref(key), by.set(value)) for key, value in file.state.assignments)
    return evolve(file, state=CPUManagerState(by.set(file.state.default), entries))


@lru_cache(maxsize=REMEMBERED)
def _kubelet(kubelet: Kubelet, by: Renaming) -> Kubelet:
    manager = kubelet.manager
    if manager == Manager():
        return kubelet
    pending, allocatable = manager.pending_admission_pod, manager.allocatable_cpus
    memory = PolicyMemory(
        tuple((by.pod(pod), by.set(value)) for pod, value in manager.memory.cpus_to_reuse),
        tuple(sorted((by.ref(key), by.container_id(value)) for key, value in manager.memory.container_map)),
    )
    manager = evolve(
        manager,
        memory=memory,
        container_map=tuple(sorted((by.container_id(key), by.ref(value)) for key, value in manager.container_map)),
        last_update_state=sorted_assignments((by.ref(key), by.set(v)) for key, v in manager.last_update_state),
        pending_admission_pod=None if pending is None else evolve(pending, uid=by.pod(pending.uid)),
        allocatable_cpus=None if allocatable is None else by.set(allocatable),
    )
    return evolve(kubelet, manager=manager)
