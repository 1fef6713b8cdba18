"""What must hold of cpu-manager: C1 to C8, C10 and C7' of the dossier's part 11.9, and a rule that breaks much of it.

C9 and C11 are no properties of reachable states: see cpu_manager_validate.py and cpu_manager_locks.py.
"""

from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import Affinity, Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, set_cpu_set, set_default_cpu_set
from properties.cpu_manager.pods import COUNTED, FORGOTTEN, GIVEN, RETURNED
from properties.cpu_manager.running import KEPT, OFF_EXCLUSIVE, ON_ITS_SET
from properties.cpu_manager.sets import ALLOCATABLE, APART, DISJOINT, PARTITION, RESERVED, WHOLE_CORES
from properties.cpu_manager.starts import COMES_UP, POLICY, RESTART
from properties.property import Property

PROPERTIES: tuple[Property, ...] = (
    PARTITION, DISJOINT, APART, RESERVED, ON_ITS_SET, KEPT, OFF_EXCLUSIVE, RESTART, POLICY, COUNTED, GIVEN,
    ALLOCATABLE, WHOLE_CORES, RETURNED, FORGOTTEN, COMES_UP,
)  # fmt: skip


def allocate_reserved(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """A deliberately wrong rule: one CPU too many, the highest ones, and reserved ones when no others are left."""
    wants = policy.rules.guaranteed_cpus(pod, container)
    if wants == 0 or get_cpu_set(state, pod.uid, container) is not None:
        return Change(state, memory)
    order = sorted(state.default - policy.reserved, reverse=True) + sorted(state.default & policy.reserved)
    cpus = frozenset(order[: wants + 1] if len(order) > wants else order)
    without = set_default_cpu_set(state, state.default - cpus)
    entered = set_cpu_set(without, pod.uid, container, cpus)
    return Change(entered, memory, (without, entered))


MUTANTS = {"allocate": (allocate_reserved,)}
