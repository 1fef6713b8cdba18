"""The manager around the policy: what it keeps in memory, what it sees of pods, what it does when they come and go.

Go: type manager in pkg/kubelet/cm/cpumanager/cpu_manager.go, releases 1.13 to 1.31, and the two hooks of
cm/internal_container_lifecycle.go. Pure functions; removal of stale state and reconciling stand in stale.py and
reconcile.py. Where a function holds `m.Lock` it is one step, and it says so.
"""

from collections.abc import Callable, Iterable

from attrs import field, frozen

from model.cpu.cpuset import CPUSet
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import EMPTY_MEMORY, PolicyMemory, Problem, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, get_cpu_set_or_default
from model.evolve import evolve
from model.variables import Entries, apart

ContainerRef = tuple[str, str]


def _ids(entries: Iterable[tuple[str, ContainerRef]]) -> Entries[str, ContainerRef]:
    return Entries(entries)


def _told(entries: Iterable[tuple[ContainerRef, CPUSet]]) -> Entries[ContainerRef, CPUSet]:
    return Entries(entries)


@apart
@frozen(cache_hash=True)
class Manager:
    """The memory of a running CPU manager, empty after each start of the kubelet. The checkpoint is not part of it."""

    # What the policy keeps in memory.
    memory: PolicyMemory = EMPTY_MEMORY
    # (container id, (pod, container)), ascending, from 1.18 on.
    container_map: Entries[str, ContainerRef] = field(default=Entries(), converter=_ids)
    # What each container was last told to run on, from 1.22 on.
    last_update_state: Entries[ContainerRef, CPUSet] = field(default=Entries(), converter=_told)
    # The pod that was admitted last, gone or not.
    pending_admission_pod: PodSpec | None = None
    # Whether every source of pods has spoken.
    sources_ready: bool = False
    # What the static policy reports, from 1.21 on: computed once, at the start. None before 1.21, and under the policy
    # none.
    allocatable_cpus: CPUSet | None = None

    def container_ref(self, container_id: str) -> ContainerRef | None:
        """(pod, container) of an id, or None (`containerMap.GetContainerRef`)."""
        return self.container_map.get(container_id)

    def with_container(self, container_id: str, ref: ContainerRef) -> "Manager":
        """`containerMap.Add`."""
        return evolve(self, container_map=self.container_map.enter(container_id, ref))

    def without_container(self, ref: ContainerRef) -> "Manager":
        """`containerMap.RemoveByContainerRef` and `lastUpdateState.Delete`."""
        return evolve(
            self,
            container_map=self.container_map.without(ref),
            last_update_state=self.last_update_state.less(ref),
        )

    def was_told(self, ref: ContainerRef, cpus: CPUSet) -> bool:
        """Whether `lastUpdateState.GetCPUSetOrDefault` answers `cpus`; its default set is always empty."""
        return self.last_update_state.has(ref, cpus) or (not cpus and self.last_update_state.get(ref) is None)

    def telling(self, ref: ContainerRef, cpus: CPUSet) -> "Manager":
        """`lastUpdateState.SetCPUSet`."""
        return evolve(self, last_update_state=self.last_update_state.enter(ref, cpus))


@frozen(cache_hash=True)
class ContainerStatus:
    """What the pod's status says of a container."""

    name: str
    # The id of its last instance; "" before the first.
    id: str
    # waiting, running or terminated.
    state: str


@frozen(cache_hash=True)
class PodView:
    """A pod that the kubelet knows."""

    spec: PodSpec
    # One for each container, in the pod's order.
    statuses: tuple[ContainerStatus, ...]
    # Whether HandlePodAdditions has the pod in hand, so that the pod workers do not know the pod yet.
    admitting: bool = False
    # Whether its phase is Succeeded or Failed.
    terminal: bool = False
    # Whether its phase is Running.
    running: bool = False


Pods = tuple[PodView, ...]


@frozen
class Effect:
    """What an operation of the manager does."""

    manager: Manager
    state: CPUManagerState
    # Every state that the operation wrote to the checkpoint, in order.
    stores: tuple[CPUManagerState, ...] = ()
    # (container id, CPUs) of each UpdateContainerResources, in order.
    updates: tuple[tuple[str, CPUSet], ...] = ()
    # What the operation returns.
    error: Problem | None = None
    # Errors that the operation logs, and goes on. Nothing depends on them.
    logged: tuple[Problem, ...] = field(default=(), eq=False)

    def then(self, other: "Effect") -> "Effect":
        """This one and, after it, `other`, which began where this one ended. An error of this one is logged."""
        own = () if self.error is None else (self.error,)
        return evolve(
            other,
            stores=self.stores + other.stores,
            updates=self.updates + other.updates,
            logged=(*self.logged, *own, *other.logged),
        )


def active_pods_not_terminal(pods: Pods) -> Pods:
    """`GetActivePods` without pods in a terminal phase; pods in admission count (all but 1.22.0 and 1.22.1)."""
    return tuple(pod for pod in pods if not pod.terminal)


def active_pods_with_workers(pods: Pods) -> Pods:
    """`GetActivePods` by `podWorkers.CouldHaveRunningContainers`: a pod in admission has no worker (#102344, until
    #104577 in 1.22.2)."""
    return tuple(pod for pod in pods if not pod.terminal and not pod.admitting)


RemoveStaleState = Callable[["CPUManager", Manager, CPUManagerState, Pods, int], Effect]


@frozen(kw_only=True, slots=False)
class ManagerRules:
    """What a release's manager does. The Go function behind each stands with the functions."""

    active_pods: Callable[[Pods], Pods]
    manager_allocate: Callable[["CPUManager", Manager, CPUManagerState, Pods, PodSpec, str], Effect]
    manager_add_container: Callable[["CPUManager", Manager, CPUManagerState, PodSpec, str, str], Effect]
    manager_remove_container: Callable[["CPUManager", Manager, CPUManagerState, str], Effect]
    post_stop_container: Callable[["CPUManager", Manager, CPUManagerState, str], Effect]
    remove_stale_state: RemoveStaleState
    reconcile_state: Callable[["CPUManager", Manager, CPUManagerState, Pods, int], Effect]


@frozen(cache_hash=True)
class CPUManager:
    """What does not change while a kubelet runs: its policy and the release's rules."""

    policy: StaticPolicy
    rules: ManagerRules
    # In which order of Go's map `Allocate` removes stale state. 0: of pod and container name.
    removal_order: int = 0


# --- Allocate, called for each container at admission (1.18 on) ---------------------------------------------------


def manager_allocate_nothing(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, pod: PodSpec, container: str
) -> Effect:
    """1.13 to 1.17: admission asks nobody; CPUs are taken when the container starts."""
    return Effect(manager, state)


def manager_allocate_as_it_is(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, pod: PodSpec, container: str
) -> Effect:
    """1.18.0 to 1.18.3: `Allocate` takes CPUs from what the state says is free (#87759). One hold of m.Lock."""
    change = cpu.policy.rules.allocate(cpu.policy, state, manager.memory, pod, container)
    return Effect(evolve(manager, memory=change.memory), change.state, change.stores, error=change.error)


def manager_allocate_after_cleaning(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, pod: PodSpec, container: str
) -> Effect:
    """1.18.4 to 1.22.0: `Allocate` removes stale state first (#90377).

    Two holds of m.Lock in Go, one step here: what could come between (another removal) does the same.
    """
    cleaned = cpu.rules.remove_stale_state(cpu, manager, state, pods, cpu.removal_order)
    return cleaned.then(manager_allocate_as_it_is(cpu, cleaned.manager, cleaned.state, pods, pod, container))


def manager_allocate_pending(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, pod: PodSpec, container: str
) -> Effect:
    """From 1.22.1 on the pod is first noted as pending admission (#103979). Nothing ever takes the note back."""
    noted = evolve(manager, pending_admission_pod=pod)
    return manager_allocate_after_cleaning(cpu, noted, state, pods, pod, container)


# --- AddContainer, called by PreStartContainer --------------------------------------------------------------------


def manager_add_container_taking_cpus(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pod: PodSpec, container: str, container_id: str
) -> Effect:
    """1.13 to 1.17: `AddContainer` takes the CPUs and confines the container to them. An error keeps it from starting.

    The rollback when the runtime refuses the update is not modelled: the runtime here never refuses.
    """
    change = cpu.policy.rules.allocate(cpu.policy, state, manager.memory, pod, container, None, container_id)
    manager = evolve(manager, memory=change.memory)
    if change.error is not None:
        return Effect(manager, change.state, change.stores, error=change.error)
    cpus = get_cpu_set_or_default(change.state, "", container_id)
    return Effect(manager, change.state, change.stores, updates=((container_id, cpus),))


def manager_add_container_updating(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pod: PodSpec, container: str, container_id: str
) -> Effect:
    """1.18 to 1.20: the container is confined to its CPUs. Its id enters the containerMap only when reconciling."""
    cpus = get_cpu_set_or_default(state, pod.uid, container)
    return Effect(manager, state, updates=((container_id, cpus),))


def manager_add_container_mapping(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pod: PodSpec, container: str, container_id: str
) -> Effect:
    """1.21: the id enters the containerMap; PreCreateContainer has created the container with its CPUs.

    Creating and starting are one step here; what changes the shared pool between them is left to reconciling.
    """
    confined = manager_add_container_updating(cpu, manager, state, pod, container, container_id)
    return evolve(confined, manager=manager.with_container(container_id, (pod.uid, container)))


def manager_add_container_noting(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pod: PodSpec, container: str, container_id: str
) -> Effect:
    """From 1.22 on `lastUpdateState` learns the CPUs of an exclusive container. A shared one leaves it as it was."""
    mapped = manager_add_container_mapping(cpu, manager, state, pod, container, container_id)
    cpus = get_cpu_set(state, pod.uid, container)
    if cpus is None:
        return mapped
    return evolve(mapped, manager=mapped.manager.telling((pod.uid, container), cpus))


# --- RemoveContainer and the hook that calls it -------------------------------------------------------------------


def remove_by_ref(cpu: CPUManager, manager: Manager, state: CPUManagerState, ref: ContainerRef) -> Effect:
    """`policyRemoveContainerByRef`, from 1.18 on. The caller holds m.Lock."""
    change = cpu.policy.rules.remove_container(cpu.policy, state, manager.memory, *ref)
    forgotten = evolve(manager, memory=change.memory).without_container(ref)
    return Effect(forgotten, change.state, change.stores)


def manager_remove_container_by_key(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, container_id: str
) -> Effect:
    """1.13 to 1.17: the state is keyed by container id. One hold of m.Lock."""
    change = cpu.policy.rules.remove_container(cpu.policy, state, manager.memory, "", container_id)
    return Effect(evolve(manager, memory=change.memory), change.state, change.stores)


def manager_remove_container_by_id(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, container_id: str
) -> Effect:
    """From 1.18 on: an id that the containerMap does not know is no error and removes nothing. One hold of m.Lock."""
    ref = manager.container_ref(container_id)
    return Effect(manager, state) if ref is None else remove_by_ref(cpu, manager, state, ref)


def post_stop_container_removing(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, container_id: str
) -> Effect:
    """1.13 to 1.18.3: `PreStopContainer` and `PostStopContainer` give the container's CPUs back."""
    return cpu.rules.manager_remove_container(cpu, manager, state, container_id)


def post_stop_container_nothing(cpu: CPUManager, manager: Manager, state: CPUManagerState, container_id: str) -> Effect:
    """From 1.18.4 on the hooks leave the CPU manager alone (#90377): nothing in the kubelet calls RemoveContainer."""
    return Effect(manager, state)
