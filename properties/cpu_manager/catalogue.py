"""The properties of cpu-manager, and a mutant that breaks several of them.

Two more questions are not about reachable states: which states `validateState` accepts (`validate.py`), and which
goroutines race (`properties/locks.py`).
"""

from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import Affinity, Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, set_cpu_set, set_default_cpu_set
from properties.cpu_manager.errors import NO_NEEDLESS_ERROR
from properties.cpu_manager.pods import COUNTED, FORGOTTEN, GIVEN, RETURNED
from properties.cpu_manager.running import KEPT, OFF_EXCLUSIVE, ON_ITS_SET
from properties.cpu_manager.sets import ALLOCATABLE, APART, DISJOINT, PARTITION, RESERVED, WHOLE_CORES
from properties.cpu_manager.starts import COMES_UP, POLICY, RESTART
from properties.property import Property

PROPERTIES: tuple[Property, ...] = (
    PARTITION, DISJOINT, APART, RESERVED, ON_ITS_SET, KEPT, OFF_EXCLUSIVE, RESTART, POLICY, COUNTED, GIVEN,
    ALLOCATABLE, WHOLE_CORES, NO_NEEDLESS_ERROR, RETURNED, FORGOTTEN, COMES_UP,
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
    """A mutant: takes one CPU too many, the highest CPUs first, and reserved CPUs if no others are left."""
    wants = policy.rules.guaranteed_cpus(pod, container)
    if wants == 0 or get_cpu_set(state, pod.uid, container) is not None:
        return Change(state, memory)
    order = sorted(state.default - policy.reserved, reverse=True) + sorted(state.default & policy.reserved)
    cpus = frozenset(order[: wants + 1] if len(order) > wants else order)
    without = set_default_cpu_set(state, state.default - cpus)
    entered = set_cpu_set(without, pod.uid, container, cpus)
    return Change(entered, memory, (without, entered))


MUTANTS = {"allocate": (allocate_reserved,)}
