"""What the static policy is, what it keeps in memory, and what one of its operations leaves behind.

Go: type staticPolicy in pkg/kubelet/cm/cpumanager/policy_static.go, releases 1.13 to 1.31. Frozen data only.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import frozen

from model.cpu.assignment.accumulator import Hang, Taken
from model.cpu.cpuset import CPUSet
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.evolve import evolve
from model.go.errors import GoError

if TYPE_CHECKING:
    from model.cpu.policy.static import PolicyRules

NO_CPUS: CPUSet = frozenset()


@frozen(cache_hash=True)
class StaticPolicyOptions:
    """The parsed options (`StaticPolicyOptions`, from 1.22 on; a release that lacks one leaves it False)."""

    full_physical_cpus_only: bool = False
    distribute_cpus_across_numa: bool = False
    align_by_socket: bool = False
    distribute_cpus_across_cores: bool = False


# (machine, available CPUs, how many, options) -> the CPUs taken, or why there are none. It changes nothing.
TakeByTopology = Callable[[CPUTopology, CPUSet, int, StaticPolicyOptions], Taken]

# An error of the Go code, or that the real call never returns: an endless loop, with the manager's lock held.
Problem = GoError | Hang


@frozen(cache_hash=True)
class StaticPolicy:
    """A running kubelet's policy: fixed from the kubelet's start to its end (`staticPolicy`).

    `reserved`: CPUs that no container gets exclusively. `reserved_physical`: those and their core siblings (1.27 on;
    before, equal to `reserved`). `rules`: what the release does. `take`: its choice of CPUs by topology.
    """

    topology: CPUTopology
    reserved: CPUSet
    rules: "PolicyRules"
    take: TakeByTopology
    reserved_physical: CPUSet = NO_CPUS
    options: StaticPolicyOptions = StaticPolicyOptions()


@frozen(cache_hash=True)
class PolicyMemory:
    """What the policy keeps beside the checkpointed state; a kubelet restart empties it.

    `cpus_to_reuse`: (pod, CPUs of its init containers that its later containers may be given), from 1.18.4 on; Go
    drops all other pods at each exclusive allocation, so there is at most one. `container_map`:
    ((pod, container), container id), ascending, of the containers added (1.16 and 1.17).
    """

    cpus_to_reuse: tuple[tuple[str, CPUSet], ...] = ()
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
    """What an operation does. `error`: the Go error it returns, that it never returns, or None.

    `state`: the state it leaves. `stores`: every state it wrote to the checkpoint, in order; each SetDefaultCPUSet,
    SetCPUSet and Delete writes the file, so a crash can leave any of them there. Not empty: its last is `state`.
    """

    state: CPUManagerState
    memory: PolicyMemory = EMPTY_MEMORY
    stores: tuple[CPUManagerState, ...] = ()
    error: Problem | None = None

    @property
    def cpus_to_reuse(self) -> tuple[tuple[str, CPUSet], ...]:
        """`memory.cpus_to_reuse`."""
        return self.memory.cpus_to_reuse
