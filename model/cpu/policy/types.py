"""What the static policy is, what it keeps in memory, and what one of its operations leaves behind.

Go: type staticPolicy in pkg/kubelet/cm/cpumanager/policy_static.go, releases 1.13 to 1.36. Frozen data only.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from attrs import frozen

from model.cpu.assignment.accumulator import Hang, Taken
from model.cpu.cpuset import CPUSet
from model.cpu.policy.pods import GuaranteedCPUs, PodSpec
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.evolve import evolve
from model.go.errors import GoError
from model.variables import apart

NO_CPUS: CPUSet = frozenset()


@frozen(cache_hash=True)
class StaticPolicyOptions:
    """The parsed options (`StaticPolicyOptions`, from 1.22 on; a release that lacks one leaves it False)."""

    full_physical_cpus_only: bool = False
    distribute_cpus_across_numa: bool = False
    align_by_socket: bool = False
    distribute_cpus_across_cores: bool = False
    strict_cpu_reservation: bool = False
    prefer_align_by_uncore_cache: bool = False


Options = tuple[tuple[str, str], ...]


@frozen(cache_hash=True)
class PolicyConfig:
    """What the kubelet is started with: the fields of the newest releases. Older releases look at fewer of them."""

    # The CPUs reserved for system and kube, rounded up.
    num_reserved: int = 0
    # --reserved-cpus, from 1.17 on; empty where no list is given.
    reserved_cpus: frozenset[int] = frozenset()
    # --cpu-manager-policy-options.
    options: Options = ()
    # Feature gates that are off.
    gates_off: frozenset[str] = frozenset()
    # The name of the topology manager's policy.
    topology_manager_policy: str = "none"
    # Whether the gate PodLevelResources is on.
    pod_level_resources: bool = False


# (machine, available CPUs, how many, options) -> the CPUs taken, or why there are none. It changes nothing.
TakeByTopology = Callable[[CPUTopology, CPUSet, int, StaticPolicyOptions], Taken]

# An error of the Go code, or that the real call never returns: an endless loop, with the manager's lock held.
Problem = GoError | Hang


@frozen(cache_hash=True)
class StaticPolicy:
    """A running kubelet's policy: fixed from the kubelet's start to its end (`staticPolicy`)."""

    topology: CPUTopology
    # CPUs that no container gets exclusively.
    reserved: CPUSet
    # What the release does.
    rules: "PolicyRules"
    # The release's choice of CPUs by topology.
    take: TakeByTopology
    # The reserved CPUs and their core siblings (1.27 on); before, equal to `reserved`.
    reserved_physical: CPUSet = NO_CPUS
    options: StaticPolicyOptions = StaticPolicyOptions()
    # Whether the gate PodLevelResources is on.
    pod_level_resources: bool = False


@apart
@frozen(cache_hash=True)
class PolicyMemory:
    """What the policy keeps beside the checkpointed state. A restart of the kubelet empties this memory."""

    # (pod, CPUs of its init containers that its later containers may be given), from 1.18.4 on. Go drops all other
    # pods at each exclusive allocation, so there is at most one entry.
    cpus_to_reuse: tuple[tuple[str, CPUSet], ...] = ()
    # ((pod, container), container id), ascending, of the containers added (1.16 and 1.17).
    container_map: tuple[tuple[tuple[str, str], str], ...] = ()

    def reusable(self, pod_uid: str) -> CPUSet:
        """The CPUs that the pod's next container may be given besides those available."""
        return dict(self.cpus_to_reuse).get(pod_uid, NO_CPUS)

    def container_id(self, pod_uid: str, container: str) -> str | None:
        """The id under which the container was added last, or None (`containerMap.Get`)."""
        return dict(self.container_map).get((pod_uid, container))

    def with_container(self, pod_uid: str, container: str, container_id: str) -> "PolicyMemory":
        """The container has this id from now on (`containerMap.Add`)."""
        ids = dict(self.container_map) | {(pod_uid, container): container_id}
        return evolve(self, container_map=tuple(sorted(ids.items())))

    def without_container(self, container_id: str) -> "PolicyMemory":
        """No container has this id any more (`containerMap.Remove`)."""
        return evolve(self, container_map=tuple(item for item in self.container_map if item[1] != container_id))


EMPTY_MEMORY = PolicyMemory()


@frozen(cache_hash=True)
class Change:
    """What an operation of the policy does."""

    # The state that the operation leaves.
    state: CPUManagerState
    memory: PolicyMemory = EMPTY_MEMORY
    # Every state that the operation wrote to the checkpoint, in order. Each SetDefaultCPUSet, SetCPUSet and Delete
    # writes the file, so a crash can leave any of them there. Where there is one, the last is `state`.
    stores: tuple[CPUManagerState, ...] = ()
    # The Go error that the operation returns, or that the operation never returns, or None.
    error: Problem | None = None

    @property
    def cpus_to_reuse(self) -> tuple[tuple[str, CPUSet], ...]:
        """`memory.cpus_to_reuse`."""
        return self.memory.cpus_to_reuse


# The NUMA nodes that the topology manager wants a container's CPUs on; None: any.
Affinity = frozenset[int] | None


@frozen(cache_hash=True)
class TopologyHint:
    """A hint to the topology manager (Go: `TopologyHint`)."""

    # The ids of NUMA nodes, ascending (Go: `NUMANodeAffinity`).
    mask: tuple[int, ...]
    preferred: bool


# (policy, available CPUs, reusable CPUs, number of CPUs) -> the hints; None: no preference.
GenerateHints = Callable[[StaticPolicy, CPUSet, CPUSet, int], tuple[TopologyHint, ...] | None]


class Allocate(Protocol):
    """The rule `allocate`: see model/cpu/policy/allocate.py."""

    def __call__(
        self,
        policy: StaticPolicy,
        state: CPUManagerState,
        memory: PolicyMemory,
        pod: PodSpec,
        container: str,
        numa_affinity: Affinity = None,
        container_id: str = "",
    ) -> Change: ...


class RemoveContainer(Protocol):
    """The rule `remove_container`: see model/cpu/policy/remove.py."""

    def __call__(
        self,
        policy: StaticPolicy,
        state: CPUManagerState,
        memory: PolicyMemory,
        pod_uid: str,
        container: str,
    ) -> Change: ...


@frozen(slots=False, kw_only=True, cache_hash=True)
class PolicyRules:
    """What releases do differently in the policy, and where a proposed fix takes hold."""

    guaranteed_cpus: GuaranteedCPUs
    pod_guaranteed_cpus: Callable[[PodSpec, GuaranteedCPUs], int]
    pod_level_cpus: Callable[[PodSpec, str, int, bool], int]
    pod_level_gate: Callable[[], bool | None]
    static_policy_options: Callable[[Options, frozenset[str]], StaticPolicyOptions | GoError]
    validate_static_policy_options: Callable[[StaticPolicyOptions, CPUTopology, str], GoError | None]
    reserve_cpus: Callable[[StaticPolicy, PolicyConfig], CPUSet | Problem]
    reserved_physical_cpus: Callable[[CPUTopology, Iterable[int]], CPUSet | GoError]
    validate_state: Callable[[StaticPolicy, CPUManagerState], Change]
    report_at_start: Callable[[GoError], GoError]
    allocatable_cpus: Callable[[StaticPolicy, CPUManagerState], CPUSet | None]
    smt_alignment_error: Callable[[StaticPolicy, CPUManagerState, int], GoError | None]
    update_cpus_to_reuse: Callable[[PolicyMemory, PodSpec, str, CPUSet], PolicyMemory]
    allocate: Allocate
    remove_container: RemoveContainer
    generate_cpu_topology_hints: GenerateHints
