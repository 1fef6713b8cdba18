"""A proposal for CPU-INIT-LEAK: a container first gets what its pod's init containers leave, then other CPUs.

The idea of pull request #139552, which is open. The release takes what is free or reusable by topology, and may prefer
a whole free core to the CPUs of an init container that has ended: the pod holds more than the scheduler counted then.
Try it:

    kubeproof validate examples/fixes/prefer_reusable_cpus.py --release 1.31.13
"""

from model.cpu.assignment.accumulator import Hang
from model.cpu.policy.allocate import allocate as as_before, get_available_cpus
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import Affinity, Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, set_cpu_set, set_default_cpu_set
from model.go.errors import GoError

CURES = "CPU-INIT-LEAK"


def allocate(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    wants = policy.rules.guaranteed_cpus(pod, container)
    reusable = memory.reusable(pod.uid)
    first = min(wants, len(reusable))
    if first == 0 or numa_affinity is not None or get_cpu_set(state, pod.uid, container) is not None:
        return as_before(policy, state, memory, pod, container, numa_affinity, container_id)
    error = policy.rules.smt_alignment_error(policy, state, wants)
    if error is not None:
        return Change(state, memory, error=error)
    reused = policy.take(policy.topology, reusable, first, policy.options)
    if isinstance(reused, GoError | Hang):
        return Change(state, memory, error=reused)
    others = policy.take(policy.topology, get_available_cpus(policy, state) - reused, wants - first, policy.options)
    if isinstance(others, GoError | Hang):
        return Change(state, memory, error=others)
    cpus = reused | others
    without = set_default_cpu_set(state, state.default - cpus)
    entered = set_cpu_set(without, pod.uid, container, cpus)
    return Change(entered, policy.rules.update_cpus_to_reuse(memory, pod, container, cpus), (without, entered))
