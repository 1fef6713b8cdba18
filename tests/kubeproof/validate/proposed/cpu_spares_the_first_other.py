"""CPU-INIT-REMOVE-FREES-SIBLING: the CPUs of one other container stay out.

Wrong: two may share the init container's.
"""

from model.cpu.policy.types import Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, delete, get_cpu_set, get_pod_assignments, set_default_cpu_set

CURES = "CPU-INIT-REMOVE-FREES-SIBLING"


def remove_container(
    policy: StaticPolicy, state: CPUManagerState, memory: PolicyMemory, pod_uid: str, container: str
) -> Change:
    to_release = get_cpu_set(state, pod_uid, container)
    if to_release is None:
        return Change(state, memory)
    for name, cpus in get_pod_assignments(state, pod_uid):
        if name != container and to_release & cpus:
            to_release -= cpus
            break
    deleted = delete(state, pod_uid, container)
    released = set_default_cpu_set(deleted, deleted.default | to_release)
    return Change(released, memory, (deleted, released))
