"""Which NUMA nodes a container or pod could get its CPUs from (Go: `GetTopologyHints` in cpumanager/policy_static.go).

Pure functions, nothing is changed. In 1.16 the same code stands in topology_hints.go; before, there are no hints.
"""

from collections.abc import Callable
from functools import partial
from itertools import combinations

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.cpu.policy.allocate import get_available_cpus
from model.cpu.policy.pod_level import exclusive_cpus
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import NO_CPUS, PolicyMemory, StaticPolicy, TopologyHint
from model.cpu.state.state import CPUManagerState, get_cpu_set

# None: no preference, the topology manager takes no notice. (): a preference that cannot be met, an admission error for
# all its policies but best-effort and none.
Hints = tuple[TopologyHint, ...] | None

NO_ENTRY = ("", "")


def hinted_entry_of_none(pod: str, container: str, container_id: str) -> tuple[str, str]:
    """1.13 to 1.16: hints are computed without a look at the state's entries."""
    return NO_ENTRY


def hinted_entry_of_id(pod: str, container: str, container_id: str) -> tuple[str, str]:
    """1.17: the entry of the container's id in the pod's status."""
    return ("", container_id)


def hinted_entry(pod: str, container: str, container_id: str) -> tuple[str, str]:
    """1.18 to 1.31: the entry of the pod and container."""
    return (pod, container)


@frozen(slots=False, kw_only=True)
class HintRules:
    """Which entry of the state a release looks at for a container's hints: the `key` of `get_topology_hints`."""

    hinted_entry: Callable[[str, str, str], tuple[str, str]]


def _numa_node_of(policy: StaticPolicy, cpu: int) -> int:
    """Go reads 0 from its map for a CPU that the machine has not."""
    details = policy.topology.cpu_details
    return details[cpu].numa_node_id if cpu in details.cpus else 0


def _masks_with_room(
    policy: StaticPolicy, available: CPUSet, reusable: CPUSet, request: int
) -> tuple[list[tuple[int, ...]], int, int]:
    """The combinations of NUMA nodes with `request` CPUs at hand, the narrowest count that could ever do, and the
    fewest sockets seen while that count fell."""
    details = policy.topology.cpu_details
    nodes = sorted(details.numa_nodes())
    min_affinity, min_sockets = len(nodes), len(details.sockets())
    homes = [_numa_node_of(policy, cpu) for cpu in available]
    reused = [_numa_node_of(policy, cpu) for cpu in reusable]
    found = []
    for size in range(1, len(nodes) + 1):
        for mask in combinations(nodes, size):
            if len(details.cpus_in_numa_nodes(*mask)) >= request and size < min_affinity:
                min_affinity = size
                min_sockets = min(min_sockets, len(details.sockets_in_numa_nodes(*mask)))
            if not all(home in mask for home in reused):
                continue
            if len(reused) + sum(home in mask for home in homes) >= request:
                found.append(mask)
    return found, min_affinity, min_sockets


def _is_hint_socket_aligned(policy: StaticPolicy, mask: tuple[int, ...], min_affinity: int) -> bool:
    """The mask spans as few sockets as must be (`isHintSocketAligned`, from 1.25 on)."""
    per_socket = policy.topology.num_numa_nodes // policy.topology.num_sockets
    if per_socket == 0:
        return False
    min_sockets = -(-min_affinity // per_socket)
    return len(policy.topology.cpu_details.sockets_in_numa_nodes(*mask)) == min_sockets


def generate_cpu_topology_hints(
    policy: StaticPolicy, available: CPUSet, reusable: CPUSet, request: int
) -> tuple[TopologyHint, ...]:
    """A hint for each set of NUMA nodes that holds all of `reusable` and has `request` CPUs with `available`.

    Preferred are the sets of as few nodes as any `request` CPUs of the machine need, or, with align-by-socket, of as
    few sockets as those nodes need (1.20 to 1.31, and from 1.19.9 on; #90980, #99276).
    """
    masks, min_affinity, _ = _masks_with_room(policy, available, reusable, request)
    by_socket = policy.options.align_by_socket
    return tuple(
        TopologyHint(
            mask, len(mask) == min_affinity or (by_socket and _is_hint_socket_aligned(policy, mask, min_affinity))
        )
        for mask in masks
    )


def hints_on_fewest_sockets(
    policy: StaticPolicy, available: CPUSet, reusable: CPUSet, request: int
) -> tuple[TopologyHint, ...]:
    """1.18.7 to 1.18.20 and 1.19.0 to 1.19.8 (#93189): preferred hints have to be on the fewest sockets too."""
    masks, min_affinity, min_sockets = _masks_with_room(policy, available, reusable, request)
    sockets = policy.topology.cpu_details.sockets_in_numa_nodes
    return tuple(TopologyHint(mask, len(mask) == min_affinity and len(sockets(*mask)) == min_sockets) for mask in masks)


def hints_ignoring_reuse(
    policy: StaticPolicy, available: CPUSet, reusable: CPUSet, request: int
) -> tuple[TopologyHint, ...]:
    """1.16 to 1.18.6: on the fewest sockets, and CPUs that could be reused are not counted."""
    return hints_on_fewest_sockets(policy, available, NO_CPUS, request)


def no_hints(
    policy: StaticPolicy, available: CPUSet, reusable: CPUSet, request: int
) -> tuple[TopologyHint, ...] | None:
    """1.13 to 1.15: there is no topology manager."""
    return None


def get_topology_hints(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    key: tuple[str, str] | None = None,
) -> Hints:
    """Hints for one container; for one that has its CPUs already, those of these CPUs (`GetTopologyHints`).

    `key`: where the state has the container, if not under (pod, container): ("", container id) in 1.17, where the id
    is that of the pod's status; 1.16 looks at no entry: ("", ""). An entry of another size than the request gives no
    hint at all.
    """
    requested = exclusive_cpus(policy, pod, container)
    if requested == 0:
        return None
    generate = policy.rules.generate_cpu_topology_hints
    allocated = get_cpu_set(state, *(key or (pod.uid, container)))
    if allocated is not None:
        return generate(policy, allocated, NO_CPUS, requested) if len(allocated) == requested else ()
    return generate(policy, get_available_cpus(policy, state), memory.reusable(pod.uid), requested)


def get_pod_topology_hints(policy: StaticPolicy, state: CPUManagerState, memory: PolicyMemory, pod: PodSpec) -> Hints:
    """Hints for the whole pod, for topology manager scope "pod" (`GetPodTopologyHints`, 1.20 to 1.31)."""
    cpus_of = partial(exclusive_cpus, policy)
    requested = policy.rules.pod_guaranteed_cpus(pod, cpus_of)
    if requested == 0:
        return None
    assigned = NO_CPUS
    for container in pod.containers:
        allocated = get_cpu_set(state, pod.uid, container.name)
        if allocated is not None:
            if len(allocated) != cpus_of(pod, container.name):
                return ()
            assigned |= allocated
    generate = policy.rules.generate_cpu_topology_hints
    if len(assigned) == requested:
        return generate(policy, assigned, NO_CPUS, requested)
    return generate(policy, get_available_cpus(policy, state), memory.reusable(pod.uid) | assigned, requested)
