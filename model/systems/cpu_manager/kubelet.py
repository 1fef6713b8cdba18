"""The kubelet's start: the machine it finds, the policy it makes, the checkpoint it restores, and what may go wrong.

Go: pkg/kubelet/cm/cpumanager/cpu_manager.go NewManager and Start; up to 1.17 the checkpoint is restored in NewManager.
Functions of a node, a file and the containers that the runtime has.
"""

from collections.abc import Callable
from functools import lru_cache

from attrs import frozen

from model.cpu.assignment.assignment import AssignmentRules, TakeByTopology
from model.cpu.cpuset import CPUSet, CPUSetRules
from model.cpu.manager import CPUManager, Manager, ManagerRules
from model.cpu.new_manager import RuntimeContainers, StartRules
from model.cpu.policy.options import FULL_PCPUS_ONLY, STRICT_RESERVATION
from model.cpu.policy.static import new_static_policy, start
from model.cpu.policy.types import PolicyConfig, PolicyRules, StaticPolicyOptions
from model.cpu.state.checkpoint import CheckpointRules, new_checkpoint_state, store_state
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.systems.cpu_manager.records import Checkpoint, Node

NO_POLICY = "statik"  # what somebody wrote who meant static
STATE_FILE = "/var/lib/kubelet/cpu_manager_state"

Take = Callable[[CPUTopology, CPUSet, int, StaticPolicyOptions], CPUSet | GoError]


@frozen(slots=False, kw_only=True, cache_hash=True)
class CPUManagerRules(PolicyRules, AssignmentRules, ManagerRules, CheckpointRules, CPUSetRules, StartRules):
    """All rules of cpu-manager in one choice."""


@lru_cache(maxsize=256)
def topology_of(node: Node) -> CPUTopology:
    """One socket, one NUMA node; the cores that have a CPU online."""
    online = sorted(node.cpus)
    first = {cpu // node.threads: cpu for cpu in reversed(online)}
    return CPUTopology.of((cpu, first[cpu // node.threads], 0, 0) for cpu in online)


def packed(rules: AssignmentRules) -> Take:
    """The release's packing algorithm as the policy calls it: on one NUMA node no other gives anything else."""

    @lru_cache(maxsize=65536)
    def taken(rule: TakeByTopology, topology: CPUTopology, available: CPUSet, num_cpus: int) -> CPUSet | GoError:
        found = rule(topology, available, num_cpus, "packed")
        assert isinstance(found, frozenset | GoError), "on one socket no release loops for ever"
        return found

    # The rule is looked up each time: whoever shares steps between several rules notes it.
    return lambda topology, available, num_cpus, _: taken(rules.take_by_topology, topology, available, num_cpus)


def cpu_manager(
    rules: CPUManagerRules, take: Take, node: Node, pod_level_resources: bool = False
) -> CPUManager | GoError:
    """The CPU manager of a kubelet that starts on `node` with the static policy, or why there is none.

    `pod_level_resources`: the gate PodLevelResources is on.
    """
    config = PolicyConfig(node.reserved, options=node.options, pod_level_resources=pod_level_resources)
    policy = new_static_policy(rules, take, topology_of(node), config)
    if isinstance(policy, GoError):
        return policy
    assert not isinstance(policy, str)
    return CPUManager(policy, rules)  # type: ignore[arg-type]


def knows_full_pcpus(rules: CPUManagerRules) -> bool:
    """From 1.22 on there is the option full-pcpus-only; before, nobody can ask for it."""
    options = rules.static_policy_options(((FULL_PCPUS_ONLY, "true"),), frozenset())
    return not isinstance(options, GoError) and options.full_physical_cpus_only


def knows_strict_reservation(rules: CPUManagerRules) -> bool:
    """From 1.32 on there is the option strict-cpu-reservation."""
    options = rules.static_policy_options(((STRICT_RESERVATION, "true"),), frozenset())
    return not isinstance(options, GoError) and options.strict_cpu_reservation


@frozen
class Started:
    """A start that succeeded: the file as it is now, the states that were written on the way, and the memory."""

    file: Checkpoint
    stores: tuple[CPUManagerState, ...]
    manager: Manager
    reserved_cpus: CPUSet


def start_kubelet(
    rules: CPUManagerRules,
    cpu: CPUManager | GoError,
    node: Node,
    file: Checkpoint | None,
    containers: RuntimeContainers,
) -> Started | GoError:
    """The kubelet starts on `node` with this file. `cpu`: its manager with the static policy, unless that failed.

    The file goes through the release's own writing and reading, checksum and all. `containers`: ((id, (pod, name)), …)
    of what the runtime has.
    """
    name = rules.policy_named(node.policy)
    if isinstance(name, GoError):
        return name
    if name == "static" and isinstance(cpu, GoError):
        return cpu
    known = rules.initial_containers(containers)
    restored = restore(rules, file, name, known)
    if isinstance(restored, GoError):
        return restored
    manager = Manager(container_map=tuple(sorted(known)))
    if name == "none" or isinstance(cpu, GoError):
        return Started(Checkpoint(name, restored), (), manager, frozenset())
    change = start(cpu.policy, restored)
    if change.error is not None:
        assert isinstance(change.error, GoError)
        return change.error
    allocatable = rules.allocatable_cpus(cpu.policy, change.state)
    started = Manager(container_map=manager.container_map, allocatable_cpus=allocatable)
    return Started(Checkpoint(name, change.state), change.stores, started, cpu.policy.reserved)


def restore(
    rules: CPUManagerRules, file: Checkpoint | None, policy: str, containers: RuntimeContainers
) -> CPUManagerState | GoError:
    """What the kubelet reads from `file`, written as the release writes it."""
    raw = None if file is None else store_state(rules, file.policy, file.state).encode()
    outcome = new_checkpoint_state(rules, rules, raw, policy, dict(containers), STATE_FILE)[0]
    return outcome if isinstance(outcome, GoError) else outcome.state
