"""The upstream fix of CPU-INIT-REMOVE-FREES-SIBLING: CPUs that the pod's other containers have are not freed.

Pull request #104837 (1.24.0-alpha.2), `getAssignedCPUsOfSiblings`. The built-in rule is the same: `--rule
remove_container=remove_container`. Try it:

    kubeproof validate examples/fixes/keep_siblings_cpus.py --release 1.23.0
"""

from model.cpu.policy.types import Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, delete, get_cpu_set, get_pod_assignments, set_default_cpu_set

CURES = "CPU-INIT-REMOVE-FREES-SIBLING"


def remove_container(
    policy: StaticPolicy, state: CPUManagerState, memory: PolicyMemory, pod_uid: str, container: str
) -> Change:
    cpus = get_cpu_set(state, pod_uid, container)
    if cpus is None:
        return Change(state, memory)
    deleted = delete(state, pod_uid, container)
    for _, of_sibling in get_pod_assignments(deleted, pod_uid):
        cpus -= of_sibling
    released = set_default_cpu_set(deleted, deleted.default | cpus)
    return Change(released, memory, (deleted, released))
