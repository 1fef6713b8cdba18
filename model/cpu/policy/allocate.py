"""Exclusive CPUs for a container: what `Allocate` (from 1.18 on) and `AddContainer` (before) do.

Go: cpumanager/policy_static.go. Pure functions; each whole operation runs under the manager's lock (`manager.Lock`).
CPUs that init containers have used, and that their pod's later containers may be given, are handled in four ways:
not at all (up to 1.15), by removing the init containers first (1.16, 1.17), by putting an init container's CPUs back
into the shared pool at once (1.18.0 to 1.18.3), and by remembering them (`cpusToReuse`, from 1.18.4 on).
"""

from model.cpu.assignment.accumulator import Hang
from model.cpu.cpuset import CPUSet
from model.cpu.policy.pod_level import exclusive_cpus
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import NO_CPUS, Affinity, Change, PolicyMemory, Problem, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, set_cpu_set, set_default_cpu_set
from model.evolve import evolve
from model.go.errors import GoError


def get_available_cpus(policy: StaticPolicy, state: CPUManagerState) -> CPUSet:
    """The shared CPUs that are not reserved (`GetAvailableCPUs`; before, `assignableCPUs`, `GetAllocatableCPUs`)."""
    return state.default - policy.reserved


def get_available_physical_cpus(policy: StaticPolicy, state: CPUManagerState) -> CPUSet:
    """The shared CPUs on cores of which no CPU is reserved (`GetAvailablePhysicalCPUs`, from 1.27 on)."""
    return state.default - policy.reserved_physical


def allocatable_cpus_not_reported(policy: StaticPolicy, state: CPUManagerState) -> CPUSet | None:
    """1.13 to 1.20: there is no `GetAllocatableCPUs`, and nobody is told."""
    return None


def allocatable_cpus_free_now(policy: StaticPolicy, state: CPUManagerState) -> CPUSet:
    """`GetAllocatableCPUs` from 1.21 (#95734) until #112913: what is free now, the same as `get_available_cpus`.

    The manager asks once, at its start, so after a kubelet restart with running containers it tells too few.
    """
    return state.default - policy.reserved


def allocatable_cpus(policy: StaticPolicy, state: CPUManagerState) -> CPUSet:
    """`GetAllocatableCPUs`: every CPU of the machine that is not reserved (#112913, 1.26)."""
    return policy.topology.cpus - policy.reserved


def smt_alignment_error(policy: StaticPolicy, state: CPUManagerState, num_cpus: int) -> GoError | None:
    """Why full-pcpus-only refuses `num_cpus`, or None: also if whole free cores do not suffice (#114114, 1.27 to 1.31).

    Of a container that has its CPUs already, too: after a kubelet restart its own CPUs are counted as not free.
    """
    error = smt_cause_error(policy, state, num_cpus)
    if error is None or get_available_physical_cpus(policy, state):
        return error
    # If there is no free core, the text is the other one's.
    return GoError(_not_multiple(num_cpus, policy.topology.cpus_per_core()))


def smt_cause_error(policy: StaticPolicy, state: CPUManagerState, num_cpus: int) -> GoError | None:
    """`smt_alignment_error` from 1.32 on (#127959): the text names the cause, also if there is no free core."""
    error = smt_multiple_error(policy, state, num_cpus)
    if error is not None or not policy.options.full_physical_cpus_only:
        return error
    available = len(get_available_physical_cpus(policy, state))
    if num_cpus <= available:
        return None
    per_core = policy.topology.cpus_per_core()
    return GoError(
        "SMT Alignment Error: not enough free physical CPUs: "
        f"available physical CPUs = {available}, requested CPUs = {num_cpus}, CPUs per core = {per_core}"
    )


def smt_multiple_error(policy: StaticPolicy, state: CPUManagerState, num_cpus: int) -> GoError | None:
    """Why full-pcpus-only refuses `num_cpus`, or None: whole cores only (1.22 to 1.26; before, the option is not)."""
    if not policy.options.full_physical_cpus_only:
        return None
    per_core = policy.topology.cpus_per_core()
    return GoError(_not_multiple(num_cpus, per_core)) if num_cpus % per_core else None


def _not_multiple(num_cpus: int, per_core: int) -> str:
    return f"SMT Alignment Error: requested {num_cpus} cpus not multiple cpus per core = {per_core}"


def get_aligned_cpus(policy: StaticPolicy, numa_affinity: frozenset[int], allocatable: CPUSet) -> CPUSet:
    """The CPUs of `allocatable` on the NUMA nodes of the hint, or on their sockets with align-by-socket."""
    details = policy.topology.cpu_details
    if policy.options.align_by_socket:
        return allocatable & details.cpus_in_sockets(*details.sockets_in_numa_nodes(*numa_affinity))
    return allocatable & details.cpus_in_numa_nodes(*numa_affinity)


def allocate_cpus(
    policy: StaticPolicy, state: CPUManagerState, num_cpus: int, numa_affinity: Affinity, reusable: CPUSet
) -> tuple[CPUSet, CPUManagerState] | Problem:
    """`num_cpus` CPUs, and the state without them in the shared pool, which Go stores at once (`allocateCPUs`).

    As many as can be come from `numa_affinity` (NUMA node ids; None: no hint). `reusable`: CPUs that may be taken
    although they are not in the shared pool. An error changes nothing.
    """
    allocatable = get_available_cpus(policy, state) | reusable
    result = NO_CPUS
    if numa_affinity is not None:
        aligned = get_aligned_cpus(policy, numa_affinity, allocatable)
        taken = policy.take(policy.topology, aligned, min(num_cpus, len(aligned)), policy.options)
        if isinstance(taken, GoError | Hang):
            return taken
        result = taken
    remaining = policy.take(policy.topology, allocatable - result, num_cpus - len(result), policy.options)
    if isinstance(remaining, GoError | Hang):
        return remaining
    result |= remaining
    return result, set_default_cpu_set(state, state.default - result)


def update_cpus_to_reuse(memory: PolicyMemory, pod: PodSpec, container: str, cpus: CPUSet) -> PolicyMemory:
    """What the pod's later containers may reuse after `container` got `cpus` (`updateCPUsToReuse`, #119447, 1.29).

    An init container's CPUs come in, all others' go out, a sidecar's too, as it keeps running. Other pods' are dropped.
    """
    init = any(each.name == container and not each.restartable for each in pod.init)
    return _with_reuse(memory, pod, cpus, init)


def update_cpus_to_reuse_of_sidecars(memory: PolicyMemory, pod: PodSpec, container: str, cpus: CPUSet) -> PolicyMemory:
    """The same before 1.29: a sidecar counts as an init container, so app containers get its CPUs while it runs."""
    return _with_reuse(memory, pod, cpus, any(each.name == container for each in pod.init))


def _with_reuse(memory: PolicyMemory, pod: PodSpec, cpus: CPUSet, reusable: bool) -> PolicyMemory:
    before = memory.reusable(pod.uid)
    return evolve(memory, cpus_to_reuse=((pod.uid, before | cpus if reusable else before - cpus),))


def allocate(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """Exclusive CPUs for `container` of `pod`, if it asks for any (`Allocate`, 1.18.4 to 1.31, #90419).

    `numa_affinity`: the NUMA nodes of the topology manager's hint, None for no hint. `container_id` is for the rules
    of 1.13 to 1.17. Stores, in this order: the shared pool without the CPUs, then the container's entry.
    An error stores nothing; so does a container that has its CPUs already, whatever their number.
    """
    num_cpus = exclusive_cpus(policy, pod, container)
    if num_cpus == 0:
        return Change(state, memory)
    error = policy.rules.smt_alignment_error(policy, state, num_cpus)
    if error is not None:
        return Change(state, memory, error=error)
    present = get_cpu_set(state, pod.uid, container)
    if present is not None:
        return Change(state, policy.rules.update_cpus_to_reuse(memory, pod, container, present))
    found = allocate_cpus(policy, state, num_cpus, numa_affinity, memory.reusable(pod.uid))
    if isinstance(found, GoError | Hang):
        return Change(state, memory, error=found)
    cpus, without = found
    entered = set_cpu_set(without, pod.uid, container, cpus)
    memory = policy.rules.update_cpus_to_reuse(memory, pod, container, cpus)
    return Change(entered, memory, (without, entered))


def allocate_returning_init_cpus(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """`allocate` of 1.18.0 to 1.18.3 (#87759): an init container's CPUs go back into the shared pool at once.

    Stores the shared pool, the entry and, for an init container, the pool with its CPUs: they are in both then.
    """
    num_cpus = policy.rules.guaranteed_cpus(pod, container)
    if num_cpus == 0 or get_cpu_set(state, pod.uid, container) is not None:
        return Change(state, memory)
    found = allocate_cpus(policy, state, num_cpus, numa_affinity, NO_CPUS)
    if isinstance(found, GoError | Hang):
        return Change(state, memory, error=found)
    cpus, without = found
    entered = set_cpu_set(without, pod.uid, container, cpus)
    if all(each.name != container for each in pod.init):
        return Change(entered, memory, (without, entered))
    returned = set_default_cpu_set(entered, entered.default | cpus)
    return Change(returned, memory, (without, entered, returned))


def add_container_by_id(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """`AddContainer` of 1.13 to 1.15, when the container is about to start: entries are keyed by container id.

    Init containers are nothing special, and there are no hints. Stores the shared pool, then the entry.
    """
    num_cpus = policy.rules.guaranteed_cpus(pod, container)
    if num_cpus == 0 or get_cpu_set(state, "", container_id) is not None:
        return Change(state, memory)
    found = allocate_cpus(policy, state, num_cpus, None, NO_CPUS)
    if isinstance(found, GoError | Hang):
        return Change(state, memory, error=found)
    cpus, without = found
    entered = set_cpu_set(without, "", container_id, cpus)
    return Change(entered, memory, (without, entered))


def add_container_removing_init(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """`AddContainer` of 1.16 and 1.17 (#78762): the pod's init containers, other than this one, are removed first.

    Only those this kubelet has added since its start are known. They are gone, and their removals stored (two stores
    each), even if there are not enough CPUs then. Without an error the container's id is remembered.
    """
    remembered = memory.with_container(pod.uid, container, container_id)
    num_cpus = policy.rules.guaranteed_cpus(pod, container)
    if num_cpus == 0 or get_cpu_set(state, "", container_id) is not None:
        return Change(state, remembered)
    stores: tuple[CPUManagerState, ...] = ()
    for init in pod.init:
        init_id = memory.container_id(pod.uid, init.name)
        if init.name != container and init_id is not None:
            removed = policy.rules.remove_container(policy, state, memory, "", init_id)
            state, memory, stores = removed.state, removed.memory, stores + removed.stores
    found = allocate_cpus(policy, state, num_cpus, numa_affinity, NO_CPUS)
    if isinstance(found, GoError | Hang):
        return Change(state, memory, stores, found)
    cpus, without = found
    entered = set_cpu_set(without, "", container_id, cpus)
    memory = memory.with_container(pod.uid, container, container_id)
    return Change(entered, memory, (*stores, without, entered))
