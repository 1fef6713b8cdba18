"""The repairs of cpu-manager: rules that no modelled release has, each without one documented bug."""

from kubeproof.systems.repair import Repair
from model.cpu.assignment.accumulator import Hang
from model.cpu.policy import allocate as policy_allocate
from model.cpu.policy.pod_level import exclusive_cpus
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import NO_CPUS, Affinity, Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, set_cpu_set, set_default_cpu_set
from model.go.errors import GoError


def allocate_reusable_first(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """`allocate`, except that CPUs of the pod's init containers are taken before free ones (as #139552 proposes)."""
    num_cpus, reusable = exclusive_cpus(policy, pod, container), memory.reusable(pod.uid)
    error = policy.rules.smt_alignment_error(policy, state, num_cpus)
    if num_cpus == 0 or error is not None or not reusable or get_cpu_set(state, pod.uid, container) is not None:
        return policy_allocate.allocate(policy, state, memory, pod, container, numa_affinity, container_id)
    again = policy.take(policy.topology, reusable, min(num_cpus, len(reusable)), policy.options)
    if isinstance(again, GoError | Hang):
        return Change(state, memory, error=again)
    left = set_default_cpu_set(state, state.default - again)
    found = policy_allocate.allocate_cpus(policy, left, num_cpus - len(again), numa_affinity, NO_CPUS)
    if isinstance(found, GoError | Hang):
        return Change(state, memory, error=found)
    new, without = found
    cpus = again | new
    entered = set_cpu_set(without, pod.uid, container, cpus)
    return Change(entered, policy.rules.update_cpus_to_reuse(memory, pod, container, cpus), (without, entered))


REPAIRS = (Repair("CPU-INIT-LEAK", "allocate", policy_allocate.allocate, allocate_reusable_first),)
